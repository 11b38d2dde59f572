import type { DisputeState } from '../../packages/gateway/src/domain/disputes/dispute-states.ts'
import type { AnswerTx } from '../../packages/gateway/src/usecases/disputes/answer-dispute.ts'
import type { NoticeTx } from '../../packages/gateway/src/usecases/disputes/notice-store.ts'
import type {
  AnswerQueue,
  QueuedAnswer,
} from '../../packages/gateway/src/usecases/disputes/send-answers.ts'

interface CaseRow {
  readonly id: bigint
  readonly caseId: string
  readonly state: DisputeState
  readonly isCharged: boolean
  readonly orderId: bigint | null
  readonly blockedMinor: bigint
  /** The number of its last notice. */
  readonly lastN: bigint
}

interface AnswerRow {
  readonly id: bigint
  readonly disputeId: bigint
  readonly stageN: bigint
  readonly answer: 'accept' | 'contest'
  state: 'queued' | 'sent' | 'acknowledged' | 'refused'
}

/** The committed rows about disputes. */
export interface DisputeRows {
  lastN: bigint
  /** Hash of each notice, by its number. */
  readonly notices: Map<bigint, string>
  readonly cases: Map<string, CaseRow>
  readonly answers: AnswerRow[]
  /** By order. */
  readonly disputed: Map<bigint, bigint>
  audited: number
}

/** A moment at which the process may die: before and after each statement and message. */
export type Moment = (what: string) => Promise<void>

const CAPTURED = 10_000n

/** The rows of one account, with transactions that a death undoes, unless it comes after the commit. */
export class DisputeStore {
  rows: DisputeRows = {
    lastN: 0n,
    notices: new Map(),
    cases: new Map(),
    answers: [],
    disputed: new Map(),
    audited: 0,
  }
  #held: Promise<unknown> = Promise.resolve()
  readonly #isAtomic: boolean

  /** @param isAtomic false breaks the rule that a transaction is committed as a whole */
  constructor(isAtomic = true) {
    this.#isAtomic = isAtomic
  }

  /** Runs a transaction: the lock of the account keeps two of them apart. */
  async transact<Tx, Answer>(
    moment: Moment,
    txOf: (rows: DisputeRows, moment: Moment) => Tx,
    work: (tx: Tx) => Promise<Answer>,
  ): Promise<Answer> {
    const before = this.#held
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held = promise
    await before
    try {
      await moment('begin')
      const draft = this.#isAtomic ? structuredClone(this.rows) : this.rows
      const answer = await work(txOf(draft, moment))
      await moment('commit')
      this.rows = draft
      await moment('committed')
      return answer
    } finally {
      resolve()
    }
  }

  queue(moment: Moment): AnswerQueue {
    const mark = async (id: bigint, state: AnswerRow['state']): Promise<void> => {
      await moment(`mark ${state}`)
      const row = this.rows.answers.find((each) => each.id === id)
      if (row?.state === 'queued') row.state = state
    }
    return {
      findQueued: async () => {
        await moment('find queued')
        return this.rows.answers.flatMap((row): QueuedAnswer[] => {
          const found = [...this.rows.cases.values()].find(({ id }) => id === row.disputeId)
          if (row.state !== 'queued' || found === undefined) return []
          const facts = { account: 'A', merchantAccountId: 1n, text: 'a', files: [] }
          const { answer, disputeId, id } = row
          return [{ id, disputeId, caseId: found.caseId, answer, ...facts }]
        })
      },
      markSent: (id) => mark(id, 'sent'),
      markRefused: (id) => mark(id, 'refused'),
    }
  }
}

type Audit = { audit(): Promise<void> }

function auditTx(rows: DisputeRows, moment: Moment): Audit {
  return {
    audit: async () => {
      await moment('audit')
      rows.audited += 1
    },
  }
}

export function answerTxOf(rows: DisputeRows, moment: Moment): AnswerTx & Audit {
  return {
    ...auditTx(rows, moment),
    async lock(id) {
      await moment('lock')
      const found = [...rows.cases.values()].find((each) => each.id === id)
      if (found === undefined) return null
      const { caseId, lastN, state } = found
      const isAnswered = rows.answers.some(
        (each) => each.disputeId === id && each.stageN === lastN && each.state !== 'refused',
      )
      const files = { freeFiles: [], keptFiles: 0, keptBytes: 0 }
      return { id, merchantId: 1n, caseId, state, stageN: lastN, isAnswered, ...files }
    },
    addFile: () => Promise.reject(new Error('The simulation has no files.')),
    removeFile: () => Promise.reject(new Error('The simulation has no files.')),
    async addAnswer({ id: disputeId, stageN }, { answer }) {
      await moment('add answer')
      const id = BigInt(rows.answers.length + 1)
      rows.answers.push({ id, disputeId, stageN, answer, state: 'queued' })
      return id
    },
  }
}

export function noticeTxOf(rows: DisputeRows, moment: Moment): NoticeTx & Audit {
  const put = async (caseId: string, row: CaseRow): Promise<void> => {
    await moment('put case')
    rows.cases.set(caseId, row)
  }
  return {
    ...auditTx(rows, moment),
    async holdFeed() {
      await moment('hold feed')
      return { id: 1n, sender: 'bank', lastN: rows.lastN }
    },
    async findStored(_feed, ns) {
      await moment('find stored')
      return new Map(ns.map((n) => [n, rows.notices.get(n) ?? '']))
    },
    findUsedIds: () => Promise.resolve(new Set()),
    async findCases(_feed, ids) {
      await moment('find cases')
      return new Map(
        ids.flatMap((id) => {
          const found = rows.cases.get(id)
          return found === undefined ? [] : [[id, found] as const]
        }),
      )
    },
    findOrder: (_owner, { order }) => Promise.resolve(order === null ? null : BigInt(order)),
    async lockOrders(ids) {
      await moment('lock orders')
      return new Map(ids.map((id) => [id, { currency: 'USD', capturedMinor: CAPTURED }]))
    },
    readToday: () => Promise.resolve('2026-11-20'),
    async openCase(_owner, _feed, { caseId, n }, change) {
      const id = BigInt(rows.cases.size + 1)
      await put(caseId, { id, caseId, ...change, lastN: n })
      return id
    },
    async changeCase(id, { caseId, n }, change) {
      await put(caseId, { id, caseId, ...change, lastN: n })
    },
    async addNotice(_owner, _feed, _dispute, { answerId, contentSha256, n }) {
      await moment('add notice')
      rows.notices.set(n, contentSha256)
      const answered = rows.answers.find(({ id }) => id === answerId)
      if (answered !== undefined) answered.state = 'acknowledged'
    },
    async sumBlocked(orderId) {
      await moment('sum blocked')
      return [...rows.cases.values()]
        .filter((each) => each.orderId === orderId)
        .reduce((sum, { blockedMinor }) => sum + blockedMinor, 0n)
    },
    async putDisputedOrder(_merchant, orderId, disputed) {
      await moment('put disputed order')
      rows.disputed.set(orderId, disputed)
    },
    noteExcess: () => Promise.resolve(),
    settleMoney: () => moment('settle money'),
    async advanceFeed(_feed, lastN) {
      await moment('advance feed')
      rows.lastN = lastN
    },
  }
}
