import type pg from 'pg'
import type { BankSide } from './bank-side.ts'
import {
  compareDisputes,
  type DisputeCase,
  type DisputeNotice,
  type GatewayDisputes,
} from './dispute-model.ts'
import { messageKeyOf } from './gateway-books.ts'
import { readFiles } from './settlement-statements.ts'
import type { Stage } from './stage.ts'

/** The work of disputes in a run, for its certificate. */
export interface DisputeResult {
  readonly cases: number
  readonly notices: number
  /** Answers that the bank acknowledged. */
  readonly answers: number
  /** Lines of settlement files. */
  readonly lines: number
  /** Cases by state. */
  readonly states: Readonly<Record<string, number>>
}

/** Compares the disputes of bank, gateway and files, once nothing changes any more. */
export async function compareDisputed(
  stage: Stage,
  bank: BankSide,
  given: readonly string[],
): Promise<{
  readonly result: DisputeResult
  readonly differences: readonly string[]
  readonly outcomes: ReadonlyMap<string, bigint>
}> {
  const gateway = await readGatewayDisputes(stage.pool)
  const { disputes } = bank
  const files = readFiles(stage.bankFolder)
  const { differences, lines, outcomes } = compareDisputes({
    bank: disputes,
    gateway,
    files,
    given,
  })
  const states: Record<string, number> = {}
  for (const { state } of disputes.cases) states[state] = (states[state] ?? 0) + 1
  const result = {
    cases: disputes.cases.length,
    notices: disputes.notices.length,
    answers: gateway.answers.filter(({ state }) => state === 'acknowledged').length,
    lines,
    states,
  }
  return { result, differences, outcomes }
}

/** The order of a row, by the message of its authorization; null for none. */
interface OrderColumns {
  readonly message_number: string | null
  readonly message_at: Date | null
}

async function readGatewayDisputes(pool: pg.Pool): Promise<GatewayDisputes> {
  const { rows: movements } = await pool.query<{
    id: string
    kind: string
    taken: string
    fee: string
  }>(
    `select d.case_id as id, m.kind, m.taken_minor as taken, m.fee_minor as fee
       from dispute_movements m join disputes d on d.id = m.dispute_id`,
  )
  const { rows: orders } = await pool.query<OrderColumns & { minor: string }>(
    `select x.disputed_minor as minor, o.message_number, o.message_at
       from disputed_orders x join orders o on o.id = x.order_id`,
  )
  const { rows: answers } = await pool.query<{ id: string; disputeId: string; state: string }>(
    'select id, dispute_id as "disputeId", state from dispute_answers',
  )
  return {
    notices: await readNotices(pool),
    cases: await readCases(pool),
    movements: movements.map(({ fee, id, kind, taken }) => ({
      caseId: id,
      kind,
      taken: BigInt(taken),
      fee: BigInt(fee),
    })),
    disputedOrders: new Map(orders.map((row) => [keyOf(row), BigInt(row.minor)])),
    answers,
  }
}

async function readNotices(pool: pg.Pool): Promise<readonly DisputeNotice[]> {
  const { rows } = await pool.query<{
    account: string
    n: string
    id: string
    caseId: string
    event: string
    minor: string
    answer: string
  }>(
    `select f.account, n.n, n.notice_id as id, d.case_id as "caseId", n.event,
            n.amount_minor as minor, coalesce(n.answer_id::text, '') as answer
       from dispute_notices n join dispute_feeds f on f.id = n.feed_id
       join disputes d on d.id = n.dispute_id`,
  )
  return rows.map((row) => ({ ...row, n: Number(row.n), minor: BigInt(row.minor) }))
}

async function readCases(pool: pg.Pool): Promise<readonly DisputeCase[]> {
  const { rows } = await pool.query<
    OrderColumns & Omit<DisputeCase, 'minor' | 'order'> & { minor: string }
  >(
    `select f.account, d.case_id as id, d.state, d.amount_minor as minor, d.brand, d.reason,
            o.message_number, o.message_at
       from disputes d join dispute_feeds f on f.id = d.feed_id
       left join orders o on o.id = d.order_id`,
  )
  return rows.map((row) => ({ ...row, order: keyOf(row), minor: BigInt(row.minor) }))
}

function keyOf({ message_at: at, message_number: number }: OrderColumns): string {
  return number === null || at === null ? '' : messageKeyOf(BigInt(number), at)
}
