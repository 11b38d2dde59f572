import type pg from 'pg'
import { daysOfReferences } from '../../../domain/settlement/reference-days.ts'
import type { BookedFile } from '../../../usecases/settlement/import-store.ts'
import { appendAudit } from '../audit/audit-log.ts'
import { inTransactionOn } from '../connection/transaction.ts'
import { linkFile } from '../disputes/money-statements.ts'
import {
  END_CORRECTED,
  END_MISSING,
  OTHER_DIFFERENCES,
  PAYMENT_DIFFERENCES,
  PAYOUTS,
  POST,
  POST_IN_ORDER_CURRENCY,
  REJECTED_FACTS,
  SETTLE,
} from './booking-statements.ts'
import { recordFileFacts } from './file-facts.ts'
import {
  ALL_CANDIDATES,
  CANDIDATES_OF_DAYS,
  DAYS,
  LINES,
  LOCK_MISSING,
  ORDERS,
  PAIR_BY_AMOUNT,
  PAIR_BY_MESSAGE,
  PAIR_THE_REST,
  PAIRS,
  PROPOSALS,
  REJECTED_REFUNDS,
  RESULT,
  TRANSACTIONS,
  analyze,
} from './matching-statements.ts'

interface FileRow {
  readonly merchant_id: string
  readonly merchant_account_id: string
  readonly mode: 'test' | 'live'
  readonly business_date: string
  readonly seq: string
  readonly lines: number
}

// The lock of the source keeps captures from becoming missing while the file settles them.
const LOCK = `
select f.merchant_id, s.merchant_account_id, a.mode, f.business_date::text, f.seq, f.lines
  from settlement_files f
  join settlement_sources s on s.id = f.source_id
  join merchant_accounts a on a.id = s.merchant_account_id
 where f.id = $1 and f.state = 'staging'
   for update of f for no key update of s`

/**
 * Matches and posts all lines of a file, and makes it booked, in one transaction. It locks no row
 * of a payment.
 */
export async function bookFile(
  client: pg.ClientBase,
  fileId: bigint,
  at: Date,
  by: string,
): Promise<BookedFile> {
  return inTransactionOn(client, null, async () => {
    const { rows } = await client.query<FileRow>(LOCK, [fileId])
    const [file] = rows
    if (file === undefined) throw new Error(`Settlement file ${fileId} is not staged.`)
    await client.query(analyze('settlement_lines'))
    await matchLines(client, fileId, file)
    await bookLines(client, fileId, at, by)
    const ofDisputes = { id: fileId, merchantAccountId: BigInt(file.merchant_account_id) }
    await linkFile(client, ofDisputes, at, by)
    await client.query(
      `update settlement_files set state = 'booked', booked_at = $2, booked_by = $3 where id = $1`,
      [fileId, at, by],
    )
    await client.query(REJECTED_FACTS, [fileId])
    await recordFileFacts(client, fileId)
    const booked = await countBooked(client, fileId, file)
    await appendAudit(client, [auditEntry(booked, file, by)])
    return booked
  })
}

async function matchLines(client: pg.ClientBase, fileId: bigint, file: FileRow): Promise<void> {
  const { business_date: day, merchant_account_id: account, merchant_id: merchant, mode } = file
  await client.query(LINES, [fileId])
  if (mode === 'live') {
    const { rows } = await client.query<{ day: string }>(DAYS)
    const days = daysOfReferences(
      rows.map((row) => row.day),
      day,
    )
    await client.query(CANDIDATES_OF_DAYS, [account, merchant, days])
  } else {
    await client.query(ALL_CANDIDATES, [account, merchant])
  }
  await client.query(`${analyze('match_lines')}; ${analyze('match_candidates')}`)
  await client.query(ORDERS, [account])
  await client.query(analyze('match_orders'))
  await client.query(LOCK_MISSING)
  await client.query(TRANSACTIONS, [fileId])
  await client.query(`${analyze('match_transactions')}; ${PAIRS}`)
  await client.query(REJECTED_REFUNDS)
  for (const step of [PAIR_BY_MESSAGE, PAIR_BY_AMOUNT]) {
    await client.query(step)
    await client.query(analyze('match_pairs'))
  }
  for (const step of [PROPOSALS, PAIR_THE_REST, RESULT]) await client.query(step)
  await client.query(analyze('matches'))
}

async function bookLines(
  client: pg.ClientBase,
  fileId: bigint,
  at: Date,
  by: string,
): Promise<void> {
  await client.query(SETTLE, [fileId])
  for (const step of [POST, POST_IN_ORDER_CURRENCY]) await client.query(step, [fileId, at])
  await client.query(PAYOUTS, [fileId])
  for (const step of [PAYMENT_DIFFERENCES, OTHER_DIFFERENCES]) {
    await client.query(step, [fileId, at])
  }
  for (const step of [END_MISSING, END_CORRECTED]) await client.query(step, [fileId, at, by])
}

async function countBooked(
  client: pg.ClientBase,
  fileId: bigint,
  file: FileRow,
): Promise<BookedFile> {
  const { rows } = await client.query<{ settled: string; rejected: string; payouts: string }>(
    `select count(*) filter (where state = 'settled') as settled,
            count(*) filter (where state = 'rejected') as rejected,
            (select count(*) from settlement_payouts where file_id = $1) as payouts
       from settled_transactions where file_id = $1`,
    [fileId],
  )
  const { rows: codes } = await client.query<{ code: string; count: string }>(
    `select code, count(*) from settlement_differences where file_id = $1
      group by code order by code`,
    [fileId],
  )
  return {
    id: fileId,
    merchantId: BigInt(file.merchant_id),
    lines: file.lines,
    settled: Number(rows[0]?.settled ?? 0),
    rejected: Number(rows[0]?.rejected ?? 0),
    payouts: Number(rows[0]?.payouts ?? 0),
    differences: new Map(codes.map(({ code, count }) => [code, Number(count)])),
  }
}

function auditEntry(booked: BookedFile, file: FileRow, by: string) {
  const { differences, id, lines, merchantId, rejected, settled } = booked
  const open = [...differences.values()].reduce((sum, count) => sum + count, 0)
  return {
    actor: by,
    operation: 'settlement.imported',
    object: `settlement file ${id}`,
    merchantId,
    result: 'done',
    details: {
      account: file.merchant_account_id,
      seq: file.seq,
      lines,
      settled,
      rejected,
      differences: open,
    },
  } as const
}
