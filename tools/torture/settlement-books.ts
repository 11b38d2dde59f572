import type pg from 'pg'
import { createSettlementReader } from '../../packages/gateway/src/adapters/postgres/settlement/settlement-reader.ts'
import { verifyBooks } from '../../packages/gateway/src/wiring/books.ts'
import type { Entry } from './answer-book.ts'
import type { BankSide } from './bank-side.ts'
import type { GatewayBooks } from './gateway-books.ts'
import { compareSettlement, payoutsOf, type Deposit } from './settlement-model.ts'
import { CURRENCY, readFiles } from './settlement-statements.ts'
import type { Stage } from './stage.ts'

/** The work of settlement in a run, for its certificate. */
export interface SettlementResult {
  readonly batches: number
  readonly files: number
  readonly lines: number
  readonly payouts: number
  readonly deposits: number
  /** By how much answers, bank, files, ledger and deposits differ, in minor units. */
  readonly cents: bigint
}

/** Contradictions that the gateway itself states; each query gives a sentence for each. */
const CONTRADICTIONS: readonly string[] = [
  // A batch of unreferenced credits, or one that everything moved out of, has nothing to agree on.
  `select 'batch ' || b.id || ' is ' || b.agreement || coalesce((
            select string_agg(': message ' || d.message_number || ', order ' ||
                   coalesce(d.order_id::text, 'none') || ', ' ||
                   coalesce(d.gateway_minor::text, 'nothing') || ' here and ' ||
                   coalesce(d.bank_minor::text, 'nothing') || ' there', '' order by d.number)
              from batch_differences d where d.batch_id = b.id), '') as text from batches b
    where b.merchant_id = 1 and b.closed_at is not null and b.agreement <> 'agreed'
      and (b.agreement <> 'none' or exists (
            select from transactions t join orders o on o.id = t.order_id and o.kind = 'payment'
             where t.batch_id = b.id and t.kind in ('sale', 'capture', 'refund')
               and t.state = 'approved'))`,
  `select 'difference ' || code || ' of file ' || coalesce(file_id::text, 'none') || ', line ' ||
          coalesce(n::text, 'none') || ', order ' || coalesce(order_id::text, 'none') || ': ' ||
          coalesce(here_minor::text, 'nothing') || ' here and ' ||
          coalesce(bank_minor::text, 'nothing') || ' there' as text
     from settlement_differences`,
  `select 'file ' || seq || ' of source ' || source_id || ' is ' || state as text
     from settlement_files where state <> 'booked'`,
  `select 'payout ' || trace || ' is ' || state as text
     from settlement_payouts where state <> 'deposited'`,
]

/** The balances of the merchant's accounts, without authorizations. */
const BALANCES = `
select account, sum(minor) as minor from (
  select debit as account, amount_minor as minor from account_entries
   where merchant_id = 1 and currency = $1
  union all
  select credit, -amount_minor from account_entries where merchant_id = 1 and currency = $1) e
 where account not in ('authorizations', 'authorizations_contra')
 group by account having sum(minor) <> 0`

/** Compares answers, bank, files, ledger and deposits, once nothing changes any more. */
export async function compareSettled(
  stage: Stage,
  records: {
    readonly entries: readonly Entry[]
    readonly gateway: GatewayBooks
    readonly bank: BankSide
    readonly deposits: readonly Deposit[]
    /** The balances that the ends of disputes add to the ledger. */
    readonly outcomes: ReadonlyMap<string, bigint>
  },
): Promise<{ readonly result: SettlementResult; readonly differences: readonly string[] }> {
  const { bank, deposits, entries, gateway, outcomes } = records
  const { pool } = stage
  const files = readFiles(stage.bankFolder)
  const { rows: balances } = await pool.query<{ account: string; minor: string }>(BALANCES, [
    CURRENCY,
  ])
  const { cents, differences } = compareSettlement({
    entries,
    orders: gateway.orders.values(),
    bank: bank.entries,
    files,
    deposits,
    outcomes,
    balances: new Map(balances.map(({ account, minor }) => [account, BigInt(minor)])),
  })
  const { rows: batches } = await pool.query(
    'select from batches where merchant_id = 1 and closed_at is not null',
  )
  const result = {
    batches: batches.length,
    files: files.length,
    lines: files.reduce((sum, { lines }) => sum + lines.length, 0),
    payouts: payoutsOf(files).length,
    deposits: deposits.length,
    cents,
  }
  const own = [...(await contradictions(pool)), ...(await brokenRules(stage))]
  return { result, differences: [...differences, ...own.map((text) => `settlement: ${text}`)] }
}

/** Contradictions by the gateway's tables, and by `tollgate settlement recon`. */
async function contradictions(pool: pg.Pool): Promise<string[]> {
  const found: string[] = []
  for (const sql of CONTRADICTIONS) {
    const { rows } = await pool.query<{ text: string }>(sql)
    found.push(...rows.map(({ text }) => text))
  }
  for (const each of await createSettlementReader(pool).readTotals()) {
    const { differing, merchantAccountId: id, rejected, waiting } = each
    const open = differing.count + rejected.count + waiting.count
    if (open > 0) found.push(`${open} captures and refunds of account ${id} are not settled`)
  }
  return found
}

/** The rules of `tollgate verify` that do not hold. */
async function brokenRules({ database, dataDir }: Stage): Promise<string[]> {
  // Only a warning depends on the time.
  const results = await verifyBooks(database.url, { bankTimeoutMs: 0, dataDir })
  return results
    .filter(({ count, isWarning }) => count > 0 && !isWarning)
    .map(
      ({ count, examples, sentence }) =>
        `${count} times not: ${sentence} ${JSON.stringify(examples)}`,
    )
}
