import { createHash } from 'node:crypto'
import { takesAnswers } from '../../packages/gateway/src/domain/disputes/dispute-states.ts'
import { createDisputeAnswers } from '../../packages/gateway/src/usecases/disputes/answer-dispute.ts'
import { createNoticeFetcher } from '../../packages/gateway/src/usecases/disputes/fetch-notices.ts'
import { sendAnswers } from '../../packages/gateway/src/usecases/disputes/send-answers.ts'
import { DisputeBank } from './dispute-bank.ts'
import { answerTxOf, DisputeStore, noticeTxOf, type Moment } from './dispute-store.ts'
import { Random } from './random.ts'

/** Rules that a schedule can break, so that the tests show that the simulation finds faults. */
export type BrokenRule =
  | 'notices_in_one_transaction'
  | 'sent_after_sending'
  | 'answers_keep_their_id'
  | 'notices_behind_the_last'

export interface Schedule {
  /** Determines which process goes on. */
  readonly seed: number
  /** Moments, counted over all processes, at which the process that is there dies. */
  readonly deaths: readonly number[]
  readonly broken?: BrokenRule
}

class Death extends Error {}

const CLOCK = { now: () => new Date('2026-11-20T10:00:00Z') }
const BY = { actor: 'test', address: '' }
const PROCESSES = 2
/** Far more than any schedule needs. */
const MOST_MOMENTS = 5_000
/** Rounds of the event loop without a turn: then every process hangs. */
const MOST_IDLE = 1_000

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * Plays disputes of every way to their ends, by two processes at once. A process that dies is
 * started again.
 * @returns sentences that do not hold, and the number of moments
 */
export async function playDisputes(
  schedule: Schedule,
): Promise<{ readonly broken: readonly string[]; readonly moments: number }> {
  const { broken: rule, deaths, seed } = schedule
  const bank = new DisputeBank()
  const store = new DisputeStore(rule !== 'notices_in_one_transaction')
  const turns = new Turns(new Random(seed), deaths)
  bank.raise('C-1', 'chargeback', '7', ['pre_arbitration', 'arbitration', 'lost'])
  bank.raise('C-2', 'inquiry', '8', ['chargeback', 'won'])
  bank.raise('C-3', 'rapid_resolution', '9', [])
  bank.raise('C-4', 'fraud_report', '9', [])
  bank.raise('C-5', 'chargeback', '10', [])
  const refused: string[] = []
  const isQuiet = (): boolean =>
    bank.isOver() &&
    store.rows.lastN === BigInt(bank.notices.length) &&
    store.rows.answers.every(({ state }) => state === 'acknowledged' || state === 'refused')

  const live = async (): Promise<void> => {
    while (!isQuiet() && refused.length === 0 && !turns.isOver) {
      try {
        await workOnce(bank, store, turns.moment, rule, refused)
      } catch (error) {
        if (!(error instanceof Death)) throw error
      }
    }
  }
  const decide = async (): Promise<void> => {
    while (!bank.isOver() && !turns.isOver) {
      await turns.wait()
      bank.decide()
    }
  }
  await turns.run([...Array.from({ length: PROCESSES }, () => live()), decide()])
  return { broken: [...refused, ...contradictions(bank, store)], moments: turns.moments }
}

/** One round of the jobs and of the merchant, as a process does it. */
async function workOnce(
  bank: DisputeBank,
  store: DisputeStore,
  moment: Moment,
  rule: BrokenRule | undefined,
  refused: string[],
): Promise<void> {
  const owner = { merchantId: 1n, merchantAccountId: 1n, sender: 'bank', account: 'A' }
  const fetcher = createNoticeFetcher({
    transact: (work) => store.transact(moment, noticeTxOf, work),
    clock: CLOCK,
    by: 'test',
    sha256,
    findAccounts: async () => {
      await moment('find accounts')
      return [{ ...owner, lastN: store.rows.lastN }]
    },
    fetch: async (_account, after) => {
      await moment('fetch')
      const skipped = rule === 'notices_behind_the_last' && after > 4n ? 1 : 0
      const page = bank.notices.slice(Number(after) + skipped, Number(after) + 2 + skipped)
      await moment('fetched')
      return page
    },
    onRecorded: () => undefined,
    onRefused: (_account, reason) => refused.push(reason),
  })
  await fetcher.fetch()
  const answers = createDisputeAnswers(
    (work) => store.transact(moment, answerTxOf, work),
    CLOCK,
    null,
  )
  for (const { caseId, id, state } of store.rows.cases.values()) {
    if (!takesAnswers(state)) continue
    // A merchant that got no answer asks again.
    if (caseId === 'C-5') await answers.accept(id, BY)
    else await answers.contest(id, 'The parcel was delivered.', BY)
  }
  const queue = store.queue(moment)
  await sendAnswers({
    queue,
    clock: CLOCK,
    send: async (answer) => {
      if (rule === 'sent_after_sending') await queue.markSent(answer.id, CLOCK.now())
      await moment('send')
      const id =
        rule === 'answers_keep_their_id' ? answer.id * 100n + BigInt(bank.answers.size) : answer.id
      const taken = bank.take({ ...answer, id })
      await moment('sent')
      return taken
    },
    onRefused: () => undefined,
  })
}

const STATES: Readonly<Record<string, string>> = {
  fraud_report: 'reported',
  rapid_resolution: 'lost',
}

/** Gateway and bank agree on every notice, case and answer, and each answer is there once. */
function contradictions(bank: DisputeBank, { rows }: DisputeStore): string[] {
  const found: string[] = []
  const say = (isTrue: boolean, text: string): void => void (isTrue || found.push(text))
  say(bank.isOver(), 'a case did not come to its end')
  say(rows.notices.size === bank.notices.length, 'the notices are not those of the bank')
  say(rows.lastN === BigInt(bank.notices.length), 'the number of the last notice is another')
  for (const [id, { order, stage }] of bank.cases) {
    const here = rows.cases.get(id)
    say(here?.state === (STATES[stage] ?? stage), `${id} is ${here?.state} and not ${stage}`)
    say(here?.orderId === BigInt(order), `${id} has another order`)
  }
  for (const [order, disputed] of rows.disputed) {
    const sum = [...rows.cases.values()]
      .filter(({ orderId }) => orderId === order)
      .reduce((total, { blockedMinor }) => total + blockedMinor, 0n)
    say(sum === disputed, `of order ${order} ${disputed} are in dispute, and ${sum} by its cases`)
  }
  const acknowledged = rows.answers.filter(({ state }) => state === 'acknowledged')
  say(acknowledged.length === bank.answers.size, 'an answer is on one side only')
  say(rows.answers.length === acknowledged.length, 'an answer was refused, or waits')
  const stages = new Set(rows.answers.map(({ disputeId, stageN }) => `${disputeId} ${stageN}`))
  say(stages.size === rows.answers.length, 'a stage has two answers')
  return found
}

/** Lets one process go on at a time, and ends one at each moment of a death. */
class Turns {
  moments = 0
  isOver = false
  readonly #random: Random
  readonly #deaths: readonly number[]
  readonly #waiting: { readonly go: () => void; readonly die: (death: Death) => void }[] = []

  constructor(random: Random, deaths: readonly number[]) {
    this.#random = random
    this.#deaths = deaths
  }

  readonly moment: Moment = () =>
    new Promise((resolve, reject) => void this.#waiting.push({ go: resolve, die: reject }))

  /** A turn of a part that never dies. */
  wait(): Promise<void> {
    return new Promise((resolve) => void this.#waiting.push({ go: resolve, die: () => resolve() }))
  }

  async run(parts: readonly Promise<void>[]): Promise<void> {
    let isDone = false
    const all = Promise.all(parts).finally(() => (isDone = true))
    for (let idle = 0; !isDone && idle < MOST_IDLE;) {
      // All that follows from the turn before.
      await new Promise((resolve) => setImmediate(resolve))
      this.isOver = this.moments > MOST_MOMENTS
      const [next] = this.#waiting.splice(this.#random.below(this.#waiting.length), 1)
      idle = next === undefined ? idle + 1 : 0
      if (next === undefined) continue
      if (this.#deaths.includes(this.moments)) next.die(new Death('the process died'))
      else next.go()
      this.moments += 1
    }
    if (!isDone) throw new Error('A process waits for ever.')
    await all
  }
}
