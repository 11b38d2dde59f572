import type pg from 'pg'
import type { StatementPosition } from '../../../domain/settlement/statement-chain.ts'
import type {
  BankAccount,
  DepositTx,
  KnownStatement,
  NewEntry,
  NewStatement,
} from '../../../usecases/settlement/deposit-store.ts'

type StatementVerbs = Pick<
  DepositTx,
  | 'addStatement'
  | 'findAccounts'
  | 'findEntries'
  | 'findStatement'
  | 'lockMerchants'
  | 'readPayers'
  | 'readPosition'
>

const STORED_AT_ONCE = 5_000

/** The verbs of accounts, statements and entries, on the connection of a transaction. */
export function statementVerbs(client: pg.ClientBase): StatementVerbs {
  return {
    findAccounts: (hashes) => findAccounts(client, hashes),
    async lockMerchants(ids) {
      await client.query(
        `select from bank_accounts where merchant_id = any($1::bigint[])
          order by id for no key update`,
        [ids],
      )
      // An operator may end one of them at the same time.
      await client.query(
        `select from settlement_differences
          where merchant_id = any($1::bigint[]) and state = 'open' and code like 'payout%'
          order by id for update`,
        [ids],
      )
    },
    async readPayers(merchantId, currency) {
      const { rows } = await client.query<{
        id: string
        merchant_account_id: string
        payer_name: string | null
        reference_pattern: string | null
      }>(
        `select s.id, s.merchant_account_id, p.payer_name, p.reference_pattern
           from settlement_sources s left join deposit_payers p on p.source_id = s.id
          where s.merchant_id = $1 and s.currency = $2 order by s.id`,
        [merchantId, currency],
      )
      return rows.map(({ id, merchant_account_id, payer_name, reference_pattern }) => ({
        merchantAccountId: BigInt(merchant_account_id),
        payer:
          payer_name === null || reference_pattern === null
            ? null
            : { sourceId: BigInt(id), payerName: payer_name, referencePattern: reference_pattern },
      }))
    },
    readPosition: (accountId) => readPosition(client, accountId),
    findStatement: (accountId, statement, sequence) =>
      findStatement(client, accountId, statement, sequence),
    async findEntries(accountId, references) {
      const { rows } = await client.query<{
        reference: string
        amount_minor: string
        booked_on: string
      }>(
        `select reference, amount_minor, booked_on::text from bank_entries
          where bank_account_id = $1 and reference = any($2::text[])`,
        [accountId, references],
      )
      return rows.map((row) => ({
        reference: row.reference,
        amountMinor: BigInt(row.amount_minor),
        bookedOn: row.booked_on,
      }))
    },
    addStatement: (statement, at, by) => addStatement(client, statement, at, by),
  }
}

async function findAccounts(
  client: pg.ClientBase,
  hashes: readonly string[],
): Promise<readonly BankAccount[]> {
  const { rows } = await client.query<{
    id: string
    merchant_id: string
    number_sha256: string
    last4: string
    currency: string
    reversals: 'as_given' | 'inverted'
    since: string
  }>(
    `select id, merchant_id, number_sha256, last4, currency, reversals, since::text
       from bank_accounts where number_sha256 = any($1::text[]) order by id`,
    [hashes],
  )
  return rows.map((row) => ({
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    hash: row.number_sha256,
    last4: row.last4,
    currency: row.currency,
    reading: row.reversals === 'inverted' ? 'inverted' : 'standard',
    since: row.since,
  }))
}

async function readPosition(
  client: pg.ClientBase,
  accountId: bigint,
): Promise<StatementPosition | null> {
  const { rows } = await client.query<{
    statement: string
    sequence: string
    closed_on: string
    closing_minor: string
  }>(
    `select statement, sequence, closed_on::text, closing_minor from bank_statements
      where bank_account_id = $1 order by id desc limit 1`,
    [accountId],
  )
  const [row] = rows
  if (row === undefined) return null
  return {
    statement: row.statement,
    sequence: row.sequence,
    closedOn: row.closed_on,
    closingMinor: BigInt(row.closing_minor),
  }
}

async function findStatement(
  client: pg.ClientBase,
  accountId: bigint,
  statement: string,
  sequence: string,
): Promise<KnownStatement | null> {
  const { rows } = await client.query<{
    id: string
    content_sha256: string
    opening_minor: string
    closing_minor: string
    entries: number
  }>(
    `select id, content_sha256, opening_minor, closing_minor, entries from bank_statements
      where bank_account_id = $1 and statement = $2 and sequence = $3`,
    [accountId, statement, sequence],
  )
  const [row] = rows
  if (row === undefined) return null
  return {
    id: BigInt(row.id),
    contentSha256: row.content_sha256,
    openingMinor: BigInt(row.opening_minor),
    closingMinor: BigInt(row.closing_minor),
    entries: row.entries,
  }
}

async function addStatement(
  client: pg.ClientBase,
  statement: NewStatement,
  at: Date,
  by: string,
): Promise<bigint> {
  const { account, entries } = statement
  const { rows } = await client.query<{ id: string }>(
    `insert into bank_statements
       (bank_account_id, merchant_id, statement, sequence, opened_on, closed_on, opening_minor,
        closing_minor, entries, content_sha256, files_sha256, follows_gap, imported_by, imported_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     returning id`,
    [
      account.id,
      account.merchantId,
      statement.statement,
      statement.sequence,
      statement.openedOn,
      statement.closedOn,
      statement.openingMinor,
      statement.closingMinor,
      entries.length,
      statement.contentSha256,
      statement.filesSha256,
      statement.followsGap,
      by,
      at,
    ],
  )
  const id = BigInt(rows[0]?.id ?? 0)
  for (let from = 0; from < entries.length; from += STORED_AT_ONCE) {
    await addEntries(client, id, account, entries.slice(from, from + STORED_AT_ONCE))
  }
  return id
}

/** Arrays of arrays travel as JSON: PostgreSQL has no lists of different lengths. */
const ADD_ENTRIES = `
insert into bank_entries
  (statement_id, bank_account_id, merchant_id, position, state, amount_minor, booked_on, reference,
   is_reversal, charges_minor, sources, texts, has_reference)
select $1, $2, $3, e.position, e.state, e.amount_minor, e.booked_on, e.reference, e.is_reversal,
       e.charges_minor,
       array(select jsonb_array_elements_text(e.sources)::bigint),
       array(select jsonb_array_elements_text(e.texts)), e.has_reference
  from jsonb_to_recordset($4::jsonb) as e (
    position integer, state text, amount_minor bigint, booked_on date, reference text,
    is_reversal boolean, charges_minor bigint, sources jsonb, texts jsonb, has_reference boolean)
 order by e.position`

async function addEntries(
  client: pg.ClientBase,
  statementId: bigint,
  account: BankAccount,
  entries: readonly NewEntry[],
): Promise<void> {
  const rows = entries.map((entry) => ({
    position: entry.position,
    state: entry.state,
    amount_minor: entry.amountMinor.toString(),
    booked_on: entry.bookedOn,
    reference: entry.reference,
    is_reversal: entry.isReversal,
    charges_minor: entry.chargesMinor?.toString() ?? null,
    sources: entry.sources.map(String),
    texts: entry.texts,
    has_reference: entry.hasReference,
  }))
  await client.query(ADD_ENTRIES, [
    statementId,
    account.id,
    account.merchantId,
    JSON.stringify(rows),
  ])
}
