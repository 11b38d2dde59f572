import { postForm } from '../payments.ts'
import type { RunningGateway } from '../running-gateway.ts'
import { readOutcomes } from './answer-readings.ts'
import { readFields, type Answer, type Form } from './answer.ts'
import type { GroupName } from './groups.ts'

/** A gateway under a sweep, and the outcomes that its answers have shown. */
export interface Sweep {
  readonly gateway: RunningGateway
  /** Notes an outcome that no field of an answer of the payment interface shows. */
  readonly see: (group: GroupName, outcome: string) => void
  /** Notes all outcomes that an answer shows. */
  readonly hear: (answer: Answer) => void
  /** Sends a sale of 12.50 with these changes to site 1001; null leaves a parameter out. */
  readonly pay: (changes: Form) => Promise<Answer>
  /** Sends a form to site 1001. */
  readonly send: (form: Form) => Promise<Answer>
  readonly seen: (group: GroupName) => ReadonlySet<string>
  /** The answers of published sites, by number of the site and words of the trial. */
  readonly siteAnswers: Map<string, Answer>
}

const SALE: Form = {
  REQUEST_ACTION: 'CCAUTHCAP',
  PMT_NUMB: '4111111111111111',
  PMT_EXPIRY: '122040',
  LI_VALUE_1: '12.50',
}

export function startSweep(gateway: RunningGateway): Sweep {
  const groups = new Map<GroupName, Set<string>>()
  const see = (group: GroupName, outcome: string): void => {
    const outcomes = groups.get(group) ?? new Set()
    groups.set(group, outcomes.add(outcome))
  }
  const hear = (answer: Answer): void => {
    for (const [group, outcome] of readOutcomes(answer)) see(group, outcome)
  }
  const send = async (form: Form): Promise<Answer> => {
    const sent = await postForm(gateway, { REQUEST_RESPONSE_FORMAT: 'JSON', ...form })
    const answer = { ...sent, fields: readFields(sent.text) }
    hear(answer)
    return answer
  }
  return {
    gateway,
    see,
    hear,
    send,
    pay: (changes) => send({ ...SALE, ...changes }),
    siteAnswers: new Map(),
    seen: (group) => groups.get(group) ?? new Set(),
  }
}

/** Sends what an outcome needs, and returns the answer that shows it. */
export type Recipe = (sweep: Sweep) => Promise<Answer>
