import { messageKey } from '@tollgate/iso8583'
import type { IsoMessage } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Notice } from '../../src/books/dispute-note.ts'
import { ControlRefusal } from '../../src/control/control-request.ts'
import type { AnswerRequest } from '../../src/disputes/dispute-desk.ts'
import type { RaiseRequest } from '../../src/disputes/raise-case.ts'
import { addDays } from '../../src/settlement/bank-days.ts'
import { MERCHANT, aSettlingBank } from '../settlement/settling.ts'
import type { Members, SettlingTestBank } from '../settlement/settling.ts'

/** The day of the test bank's clock. */
export const FIRST_DAY = '2026-03-14'

export interface DisputingTestBank extends SettlingTestBank {
  /** Raises a case about an order; all that is left, for the code of fraud, unless given. */
  raise(
    order: IsoMessage | null,
    event: RaiseRequest['event'],
    more?: Partial<RaiseRequest>,
  ): Promise<Notice>
  /** Contests with a text, unless given, under a new id. */
  answer(caseId: string, text: string, more?: Partial<AnswerRequest>): Promise<Notice>
  /** The site's clock goes on by so many days. */
  pass(days: number): Promise<void>
  notices(): readonly Notice[]
  /** Each notice as its event with the case's number. */
  events(): string[]
  /** Makes a file of what waits; all lines of a case in all files as kind and net. */
  moneyOf(caseId: string): Promise<string[]>
}

/** A bank without its link, with its settlement files and disputes. */
export async function aDisputingBank(t: TestContext, home?: string): Promise<DisputingTestBank> {
  const parts = await aSettlingBank(t, home)
  const { desk, settlement } = parts
  let [answers, days] = [0, 0]
  const lines = async (): Promise<Members[]> => {
    await settlement.makeNow(MERCHANT, null, null)
    const all: Members[] = []
    for (const file of await settlement.list(new Set())) {
      all.push(...(await parts.read(file)).lines)
    }
    return all
  }
  const notices = () => desk.list(MERCHANT, 0)
  return {
    ...parts,
    notices,
    raise: (order, event, more = {}) =>
      desk.raise({
        merchant: MERCHANT,
        event,
        order: order === null ? null : messageKey(order),
        rrn: null,
        minor: null,
        reason: null,
        case: null,
        ...more,
      }),
    answer(caseId, text, more = {}) {
      answers += 1
      const usual = { merchant: MERCHANT, case: caseId, id: `A-${answers}`, text, files: [] }
      return desk.answer({ ...usual, answer: 'contest', ...more })
    },
    async pass(more) {
      days += more
      await settlement.reachDay(MERCHANT, addDays(FIRST_DAY, days))
    },
    events: () => notices().map(({ case: id, event }) => `${event} ${id.split('-').at(-1)}`),
    moneyOf: async (caseId) =>
      (await lines())
        .filter((line) => line['case'] === caseId)
        .map(({ kind, net }) => `${String(kind)} ${String(net)}`),
  }
}

/** Expects a refusal of the control API with a status and a sentence. */
export async function refused(work: Promise<unknown>, status: number, why: RegExp): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof ControlRefusal)
    assert.equal(error.status, status)
    assert.match(error.message, why)
    return true
  })
}
