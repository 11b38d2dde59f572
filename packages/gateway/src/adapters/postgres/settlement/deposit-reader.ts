import type pg from 'pg'
import type {
  BankAccountView,
  BankEntryView,
  BankStatementView,
  DepositReader,
} from '../../../usecases/settlement/deposit-views.ts'

const STATEMENTS = `
select b.id, b.merchant_id, a.last4, a.currency, b.statement, b.sequence, b.closed_on::text,
       b.opening_minor, b.closing_minor, b.entries, b.follows_gap, b.imported_at, b.imported_by,
       e.others, e.matched, e.unknown
  from bank_statements b
  join bank_accounts a on a.id = b.bank_account_id
 cross join lateral (
   select count(*) filter (where state in ('other', 'repeated')) as others,
          count(*) filter (where state = 'matched') as matched,
          count(*) filter (where state = 'unknown') as unknown
     from bank_entries where statement_id = b.id) e`

interface StatementRow {
  readonly id: string
  readonly merchant_id: string
  readonly last4: string
  readonly currency: string
  readonly statement: string
  readonly sequence: string
  readonly closed_on: string
  readonly opening_minor: string
  readonly closing_minor: string
  readonly entries: number
  readonly follows_gap: boolean
  readonly imported_at: Date
  readonly imported_by: string
  readonly others: string
  readonly matched: string
  readonly unknown: string
}

const ENTRIES = `
select e.id, e.position, e.state, e.amount_minor, e.booked_on::text, e.is_reversal, e.charges_minor,
       e.texts,
       coalesce((select json_agg(json_build_object(
                   'id', l.payout_id::text, 'kind', l.kind,
                   'name', coalesce(p.payout, p.trace, '')) order by l.n)
                   from payout_deposits l join settlement_payouts p on p.id = l.payout_id
                  where l.entry_id = e.id), '[]') as payouts,
       coalesce((select d.payouts::text[] from settlement_differences d
                  where d.entry_id = e.id and d.code = 'payout_unknown' and d.state = 'open'), '{}')
         as proposal
  from bank_entries e
 where e.statement_id = $1 and e.state in ('unknown', 'matched') order by e.position`

interface EntryRow {
  readonly id: string
  readonly position: number
  readonly state: 'unknown' | 'matched'
  readonly amount_minor: string
  readonly booked_on: string
  readonly is_reversal: boolean
  readonly charges_minor: string | null
  readonly texts: readonly string[]
  readonly payouts: readonly {
    readonly id: string
    readonly kind: 'deposit' | 'supplement' | 'return'
    readonly name: string
  }[]
  readonly proposal: readonly string[]
}

const ACCOUNTS = `
select a.id, a.merchant_id, a.last4, a.currency, a.reversals, a.since::text, b.closed_on::text,
       b.closing_minor
  from bank_accounts a
  left join lateral (select closed_on, closing_minor from bank_statements
                      where bank_account_id = a.id order by id desc limit 1) b on true
 order by a.merchant_id, a.id`

/** Reads bank accounts, statements and their entries for operators. */
export function createDepositReader(pool: pg.Pool): DepositReader {
  return {
    async listAccounts() {
      const { rows: payers } = await pool.query<{
        merchant_account_id: string
        currency: string
        payer_name: string
        reference_pattern: string
      }>(
        `select s.merchant_account_id, s.currency, p.payer_name, p.reference_pattern
           from deposit_payers p join settlement_sources s on s.id = p.source_id order by 1, 2`,
      )
      return {
        accounts: await listAccounts(pool),
        payers: payers.map((row) => ({
          merchantAccountId: BigInt(row.merchant_account_id),
          currency: row.currency,
          payerName: row.payer_name,
          referencePattern: row.reference_pattern,
        })),
      }
    },
    async listStatements(limit) {
      const { rows } = await pool.query<StatementRow>(`${STATEMENTS} order by b.id desc limit $1`, [
        limit,
      ])
      return rows.map(statementOf)
    },
    async readStatement(id) {
      const { rows } = await pool.query<StatementRow>(`${STATEMENTS} where b.id = $1`, [id])
      const [row] = rows
      if (row === undefined) return null
      const { rows: entries } = await pool.query<EntryRow>(ENTRIES, [id])
      return { statement: statementOf(row), entries: entries.map(entryOf) }
    },
  }
}

async function listAccounts(pool: pg.Pool): Promise<readonly BankAccountView[]> {
  const { rows } = await pool.query<{
    id: string
    merchant_id: string
    last4: string
    currency: string
    reversals: 'as_given' | 'inverted'
    since: string
    closed_on: string | null
    closing_minor: string | null
  }>(ACCOUNTS)
  return rows.map((row) => ({
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    last4: row.last4,
    currency: row.currency,
    reversals: row.reversals,
    since: row.since,
    closedOn: row.closed_on,
    closingMinor: row.closing_minor === null ? null : BigInt(row.closing_minor),
  }))
}

function statementOf(row: StatementRow): BankStatementView {
  return {
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    last4: row.last4,
    currency: row.currency,
    statement: row.statement,
    sequence: row.sequence,
    closedOn: row.closed_on,
    openingMinor: BigInt(row.opening_minor),
    closingMinor: BigInt(row.closing_minor),
    entries: row.entries,
    others: Number(row.others),
    matched: Number(row.matched),
    unknown: Number(row.unknown),
    followsGap: row.follows_gap,
    importedAt: row.imported_at,
    importedBy: row.imported_by,
  }
}

function entryOf(row: EntryRow): BankEntryView {
  return {
    id: BigInt(row.id),
    position: row.position,
    state: row.state,
    amountMinor: BigInt(row.amount_minor),
    bookedOn: row.booked_on,
    isReversal: row.is_reversal,
    chargesMinor: row.charges_minor === null ? null : BigInt(row.charges_minor),
    texts: row.texts,
    payouts: row.payouts.map(({ id, kind, name }) => ({ payoutId: BigInt(id), kind, name })),
    proposal: row.proposal.map(BigInt),
  }
}
