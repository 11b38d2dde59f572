import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import type {
  AccountLink,
  AccountOwner,
  StoredAccount,
} from '../../../domain/merchants/account-change.ts'
import type { Transact } from '../../../usecases/audit/audited-transaction.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { AccountDraft } from '../../../usecases/merchants/operator.ts'
import type { AccountTx } from '../../../usecases/merchants/put-account.ts'
import { createTransact } from '../audit/admin-transaction.ts'
import { lockPlans } from '../fees/fee-plan-store.ts'
import { readSoleDefaults } from './account-details-store.ts'

/** Transactions in which a merchant account is created or changed. */
export function accountTransact(pool: pg.Pool): Transact<AccountTx> {
  return createTransact(pool, accountTx)
}

/** The same on the connection of a transaction that the caller began. */
export function accountTx(client: pg.ClientBase): Omit<AccountTx, 'audit'> {
  return {
    lockAccount: (id: number) => lockAccount(client, id),
    describeAccount: (id: number) => accountState(client, id),
    findLink: (name: string | null) => findLink(client, name),
    readOwner: (account: AccountDraft) => readOwner(client, account),
    lockPlans: (merchantId) => lockPlans(client, merchantId),
    async writeAccount(account: AccountDraft, bank: Parameters<AccountTx['writeAccount']>[1]) {
      const kept = await upsertAccount(client, account, bank)
      await client.query(
        `insert into site_merchant_accounts (site_id, merchant_account_id)
         select unnest($1::bigint[]), $2 on conflict do nothing`,
        [account.sites, account.id],
      )
      await client.query(
        `insert into batches (merchant_id, merchant_account_id)
         select $1, $2 where not exists
           (select from batches where merchant_account_id = $2 and closed_at is null)
         on conflict do nothing`,
        [account.merchantId, account.id],
      )
      return kept
    },
    async setProcessorName(id, name) {
      await client.query('update merchant_accounts set processor_name = $2 where id = $1', [
        id,
        name,
      ])
    },
  }
}

async function upsertAccount(
  client: pg.ClientBase,
  account: AccountDraft,
  { linkId, acquirerId }: Parameters<AccountTx['writeAccount']>[1],
): Promise<readonly string[]> {
  const { brands, requiredFields, threeDs, unreferencedCredits } = account
  const optional = { unreferencedCredits, threeDs, brands, requiredFields }
  const leftOut = Object.entries(optional).flatMap(([name, set]) => (set === undefined ? name : []))
  const { rows } = await client.query<{ kept: readonly string[] }>(
    `insert into merchant_accounts as a (id, merchant_id, mode, processor_link_id, processor_name,
       acquirer_id, acquirer_merchant_id, category_code, name_and_location, currencies,
       unreferenced_credits, stands_for, three_ds_requestor_id, three_ds_requestor_url, brands,
       required_fields)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
     on conflict (id) do update
       set (processor_name, category_code, name_and_location, currencies, unreferenced_credits,
            stands_for, three_ds_requestor_id, three_ds_requestor_url, brands, required_fields)
         = ($5, $8, $9, $10,
            case when 'unreferencedCredits' = any($17) then a.unreferenced_credits else $11 end,
            $12,
            case when 'threeDs' = any($17) then a.three_ds_requestor_id else $13 end,
            case when 'threeDs' = any($17) then a.three_ds_requestor_url else $14 end,
            case when 'brands' = any($17) then a.brands else $15 end,
            case when 'requiredFields' = any($17) then a.required_fields else $16 end)
     returning array(
       select name from (values ('unreferencedCredits', unreferenced_credits),
                                ('threeDs', three_ds_requestor_id is not null),
                                ('brands', brands is not null),
                                ('requiredFields', required_fields <> '{}')) as of (name, is_set)
        where is_set and name = any($17::text[])) as kept`,
    [
      account.id,
      account.merchantId,
      account.mode,
      linkId,
      account.processorName,
      acquirerId,
      account.acquirerMerchantId,
      account.categoryCode,
      account.nameAndLocation,
      account.currencies,
      unreferencedCredits ?? false,
      account.standsFor,
      threeDs?.requestorId ?? null,
      threeDs?.requestorUrl ?? null,
      brands ?? null,
      requiredFields ?? [],
      leftOut,
    ],
  )
  return rows[0]?.kept ?? []
}

/** An account as the audit log shows it, a JSON text; null when there is none. */
async function accountState(client: pg.ClientBase, id: number): Promise<string | null> {
  const { rows } = await client.query<{ state: string }>(
    `select (to_jsonb(a) || jsonb_build_object('sites',
              array(select site_id from site_merchant_accounts
                     where merchant_account_id = a.id order by site_id)))::text as state
       from merchant_accounts a where id = $1`,
    [id],
  )
  return rows[0]?.state ?? null
}

async function findLink(client: pg.ClientBase, name: string | null): Promise<AccountLink | null> {
  const { rows } = await client.query<{ id: string; mode: Mode; institution_id: string }>(
    'select id, mode, institution_id from processor_links where name = $1',
    [name],
  )
  const [row] = rows
  if (row === undefined) return null
  return { id: BigInt(row.id), mode: row.mode, institutionId: row.institution_id }
}

async function lockAccount(client: pg.ClientBase, id: number): Promise<StoredAccount | null> {
  const { rows } = await client.query<{
    merchant_id: string
    mode: Mode
    processor_link_id: string | null
    acquirer_id: string
    acquirer_merchant_id: string
    currencies: string[]
  }>(
    `select merchant_id, mode, processor_link_id, acquirer_id, acquirer_merchant_id, currencies
       from merchant_accounts where id = $1 for update`,
    [id],
  )
  const [row] = rows
  if (row === undefined) return null
  return {
    merchantId: BigInt(row.merchant_id),
    mode: row.mode,
    linkId: row.processor_link_id === null ? null : BigInt(row.processor_link_id),
    acquirerId: row.acquirer_id,
    acquirerMerchantId: row.acquirer_merchant_id,
    currencies: row.currencies,
  }
}

async function readOwner(
  client: pg.ClientBase,
  { id, merchantId, sites, standsFor }: AccountDraft,
): Promise<AccountOwner> {
  const { rows } = await client.query<{
    merchant: boolean
    sites: string[]
    stands_for: boolean
    stand_in: string | null
  }>(
    `select exists (select from merchants where id = $1) as merchant,
            array(select id::text from sites where merchant_id = $1 and id = any($2::bigint[])) as sites,
            exists (select from merchant_accounts
                     where id = $3 and merchant_id = $1 and mode = 'test') as stands_for,
            (select id from merchant_accounts where stands_for = $3 and id <> $4) as stand_in`,
    [merchantId, sites, standsFor, id],
  )
  const [row] = rows
  invariant(row !== undefined, 'a select without a table gives one row')
  return {
    exists: row.merchant,
    sites: row.sites.map(BigInt),
    hasTestAccount: row.stands_for,
    standIn: row.stand_in === null ? null : BigInt(row.stand_in),
    defaultCurrencies: await readSoleDefaults(client, BigInt(id)),
  }
}
