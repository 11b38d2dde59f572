import { invariant } from '../invariant.ts'
import type { DisputeCase, DisputeNote, Notice } from './dispute-note.ts'
import type { RecordDraft } from './journal-record.ts'
import { converted, settledIn } from './settled-amounts.ts'

type Answer = NonNullable<DisputeNote['answer']>

/** The notices, cases and answers of one merchant account. */
export interface DisputeAccount {
  readonly merchant: string
  /** In the sequence of their numbers, without gaps. */
  readonly notices: Notice[]
  /** By id. */
  readonly cases: Map<string, DisputeCase>
  /** By the id of the merchant's answer. */
  readonly answers: Map<string, Answer>
}

/** The disputes of all merchants. */
export class Disputes {
  readonly #accounts = new Map<string, DisputeAccount>()

  all(): Iterable<DisputeAccount> {
    return this.#accounts.values()
  }

  find(merchant: string): DisputeAccount | undefined {
    return this.#accounts.get(merchant)
  }

  /** The account of a merchant; an empty one is made if there is none. */
  open(merchant: string): DisputeAccount {
    const known = this.find(merchant)
    if (known !== undefined) return known
    const account = { merchant, notices: [], cases: new Map(), answers: new Map() }
    this.#accounts.set(merchant, account)
    return account
  }

  /** Books a record of kind `dispute`. */
  apply({ dispute, merchant = '' }: RecordDraft): void {
    invariant(dispute !== undefined && merchant !== '', 'a dispute record says nothing')
    const account = this.open(merchant)
    for (const changed of dispute.cases) {
      checkCase(account.cases.get(changed.id), changed, dispute)
      account.cases.set(changed.id, changed)
    }
    for (const { case: id } of dispute.lines) {
      invariant(
        dispute.cases.some((each) => each.id === id),
        'money moves without a case',
      )
    }
    for (const notice of dispute.notices) {
      invariant(notice.n === account.notices.length + 1, 'a notice has a wrong number')
      invariant(account.cases.has(notice.case), 'a notice has no case')
      account.notices.push(notice)
    }
    const { answer } = dispute
    if (answer === undefined) return
    invariant(!account.answers.has(answer.id), 'an answer is booked twice')
    account.answers.set(answer.id, answer)
  }
}

/** Whether a case waits for an answer or for a decision. */
export function isOpen({ stage }: DisputeCase): boolean {
  return (
    stage === 'inquiry' ||
    stage === 'chargeback' ||
    stage === 'pre_arbitration' ||
    stage === 'arbitration'
  )
}

/** The disputed amount in the settlement currency, minor units. */
export function settledMinor({ conversion, currency, minor }: DisputeCase): bigint {
  return converted(BigInt(minor), conversion, currency, settledIn(conversion, currency))
}

/** The money of a case must be where its stage and the lines of its record have it. */
function checkCase(
  before: DisputeCase | undefined,
  after: DisputeCase,
  { lines }: DisputeNote,
): void {
  invariant(before === undefined || isOpen(before), 'a case goes on behind its end')
  const moves = lines.filter((line) => line.case === after.id)
  const moved = moves.reduce((sum, { gross }) => sum + BigInt(gross), BigInt(before?.moved ?? '0'))
  invariant(moved === BigInt(after.moved), 'the lines of a case are not what it states')
  const { stage } = after
  if (stage === 'won' || stage === 'withdrawn' || stage === 'inquiry' || stage === 'fraud_report') {
    invariant(moved === 0n, 'money of a case without a debit is missing')
  } else if (stage === 'lost' || stage === 'accepted') {
    invariant(moved === -settledMinor(after), 'a lost case has not cost its amount')
  }
}
