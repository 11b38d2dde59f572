import type pg from 'pg'
import { refused, type Result } from '../../../base/refusal.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { AccountDraft } from '../../../usecases/merchants/operator.ts'
import { inAdminTransaction, type AdminResult } from '../audit/admin-transaction.ts'

/** Makes the account, or changes what may change of it, and gives it to its sites. */
export function putAccount(
  pool: pg.Pool,
  account: AccountDraft,
  actor: string,
): Promise<Result<{ readonly created: boolean }>> {
  return inAdminTransaction(
    pool,
    async (client): Promise<AdminResult<Result<{ created: boolean }>>> => {
      const link = await findLink(client, account.link)
      const acquirerId = account.acquirerId ?? link?.institution_id ?? ''
      const before = await findAccount(client, account.id)
      const stateBefore = await accountState(client, account.id)
      const faults = [
        ...linkFaults(account, link),
        ...fixedFaults(account, acquirerId, link, before),
        ...(await ownerFaults(client, account)),
      ]
      const act = { actor, act: 'account.put', object: `account ${account.id}` } as const
      if (faults.length > 0) {
        return { outcome: refused('invalid', faults), entry: refusalOf(act, before, faults) }
      }
      await client.query(
        `insert into merchant_accounts (id, merchant_id, mode, processor_link_id, processor_name,
         acquirer_id, acquirer_merchant_id, category_code, name_and_location, currencies,
         unreferenced_credits, stands_for, three_ds_requestor_id, three_ds_requestor_url)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
       on conflict (id) do update
         set (processor_name, category_code, name_and_location, currencies, unreferenced_credits,
              stands_for, three_ds_requestor_id, three_ds_requestor_url)
           = ($5, $8, $9, $10, $11, $12, $13, $14)`,
        [
          account.id,
          account.merchantId,
          account.mode,
          link?.id ?? null,
          account.processorName,
          acquirerId,
          account.acquirerMerchantId,
          account.categoryCode,
          account.nameAndLocation,
          account.currencies,
          account.unreferencedCredits,
          account.standsFor,
          account.threeDs?.requestorId ?? null,
          account.threeDs?.requestorUrl ?? null,
        ],
      )
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
      const details = { before: stateBefore, after: await accountState(client, account.id) }
      const merchantId = BigInt(account.merchantId)
      return {
        outcome: { ok: true, created: before === undefined },
        entry: { ...act, merchantId, result: 'done', details },
      }
    },
  )
}

/** A refusal is on record where it was about something that is there. */
function refusalOf(
  act: Pick<AuditEntry, 'actor' | 'address' | 'act' | 'object'>,
  before: { readonly merchant_id: string } | undefined,
  faults: readonly string[],
): AuditEntry | null {
  if (before === undefined) return null
  return { ...act, merchantId: BigInt(before.merchant_id), result: 'refused', details: { faults } }
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

interface LinkRow {
  readonly id: string
  readonly mode: Mode
  readonly institution_id: string
}

async function findLink(client: pg.ClientBase, name: string | null): Promise<LinkRow | undefined> {
  const { rows } = await client.query<LinkRow>(
    'select id, mode, institution_id from processor_links where name = $1',
    [name],
  )
  return rows[0]
}

function linkFaults({ link: name, mode }: AccountDraft, link: LinkRow | undefined): string[] {
  if (name === null) return []
  if (link === undefined) {
    return [
      `link is "${name}", but there is none of that name; "tollgate links" lists those there are.`,
    ]
  }
  return link.mode === mode
    ? []
    : [`link is "${name}", a ${link.mode} link; a ${mode} account needs a ${mode} one.`]
}

interface AccountRow {
  readonly merchant_id: string
  readonly mode: Mode
  readonly processor_link_id: string | null
  readonly acquirer_id: string
  readonly acquirer_merchant_id: string
}

async function findAccount(client: pg.ClientBase, id: number): Promise<AccountRow | undefined> {
  const { rows } = await client.query<AccountRow>(
    `select merchant_id, mode, processor_link_id, acquirer_id, acquirer_merchant_id
       from merchant_accounts where id = $1 for update`,
    [id],
  )
  return rows[0]
}

/** The bank's identifier of an account never changes: its orders must be found again there. */
function fixedFaults(
  account: AccountDraft,
  acquirerId: string,
  link: LinkRow | undefined,
  before: AccountRow | undefined,
): string[] {
  if (before === undefined) return []
  const compared = [
    ['merchantId', String(account.merchantId), before.merchant_id],
    ['mode', account.mode, before.mode],
    ['link', link?.id ?? null, before.processor_link_id],
    ['acquirerId', acquirerId, before.acquirer_id],
    ['acquirerMerchantId', account.acquirerMerchantId, before.acquirer_merchant_id],
  ] as const
  return compared
    .filter(([, wanted, is]) => wanted !== is)
    .map(
      ([name]) =>
        `${name} differs from what account ${account.id} has, and an account stays with its bank: ` +
        'describe another account under another id.',
    )
}

async function ownerFaults(client: pg.ClientBase, account: AccountDraft): Promise<string[]> {
  const { merchantId, sites, standsFor } = account
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
    [merchantId, sites, standsFor, account.id],
  )
  const [found] = rows
  if (found?.merchant !== true)
    return [`merchantId is ${merchantId}, but there is no such merchant.`]
  const faults = sites
    .filter((site) => !found.sites.includes(String(site)))
    .map((site) => `sites names ${site}, which is no site of merchant ${merchantId}.`)
  if (standsFor !== null && !found.stands_for) {
    faults.push(`standsFor is ${standsFor}, which is no test account of merchant ${merchantId}.`)
  }
  if (standsFor !== null && found.stand_in !== null) {
    faults.push(`standsFor is ${standsFor}, but account ${found.stand_in} stands for that already.`)
  }
  return faults
}
