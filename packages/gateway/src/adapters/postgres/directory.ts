import type pg from 'pg'
import type { CheckMode } from '../../domain/verification.ts'
import type { ApiUser, MerchantAccount, Mode, Site } from '../../usecases/merchant-directory.ts'
import { readCardTestingPolicy } from './card-testing-policy.ts'

/** A user as stored: the hash is of the slow kind. */
export interface StoredApiUser extends ApiUser {
  readonly passwordHash: string
  readonly active: boolean
}

/** Users and sites, read through a short memory so that a payment costs no query for them. */
export interface Directory {
  findUser(username: string): Promise<StoredApiUser | null>
  /** Null for an unknown site, and likewise for another merchant's. */
  findSite(merchantId: bigint, siteId: bigint): Promise<Site | null>
}

/** How long a change may take to be seen by every process. */
const MEMORY_MS = 2_000
/** Names that nobody has are remembered too; this bounds what guessing can fill. */
const MEMORY_LIMIT = 10_000

export function createDirectory(pool: pg.Pool, monotonicMs: () => number): Directory {
  const users = remember(monotonicMs, (username: string) => readUser(pool, username))
  const sites = remember(monotonicMs, (id: string) => readSite(pool, BigInt(id)))
  return {
    findUser: users,
    async findSite(merchantId, siteId) {
      const site = await sites(siteId.toString())
      return site !== null && site.merchantId === merchantId ? site : null
    },
  }
}

/** Reads through a memory of two seconds, which concurrent readers share. */
export function remember<Value>(
  monotonicMs: () => number,
  read: (key: string) => Promise<Value>,
): (key: string) => Promise<Value> {
  const known = new Map<string, { readonly until: number; readonly value: Promise<Value> }>()
  return (key) => {
    const entry = known.get(key)
    if (entry !== undefined && entry.until > monotonicMs()) return entry.value
    if (known.size >= MEMORY_LIMIT) known.clear()
    const value = read(key)
    known.set(key, { until: monotonicMs() + MEMORY_MS, value })
    // A failed read is not an answer worth keeping.
    value.catch(() => known.delete(key))
    return value
  }
}

async function readUser(pool: pg.Pool, username: string): Promise<StoredApiUser | null> {
  const { rows } = await pool.query<{
    id: string
    merchant_id: string
    username: string
    password_hash: string
    active: boolean
  }>('select id, merchant_id, username, password_hash, active from api_users where username = $1', [
    username,
  ])
  const row = rows[0]
  if (row === undefined) return null
  return {
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    username: row.username,
    passwordHash: row.password_hash,
    active: row.active,
  }
}

interface SiteRow {
  readonly id: string
  readonly merchant_id: string
  readonly mode: Mode
  readonly tolerance: 'strict' | 'wide'
  readonly default_currency: string
  readonly cvv_required: boolean
  readonly avs_mode: CheckMode
  readonly cvv_mode: CheckMode
  readonly avs_match_set: string
  readonly cvv_match_set: string
  readonly catalogue: 'open' | 'strict'
  readonly default_product: string
}

interface AccountRow {
  readonly id: string
  readonly merchant_id: string
  readonly mode: Mode
  readonly processor_link_id: string | null
  readonly stands_for: string | null
  readonly processor_name: string
  readonly acquirer_id: string
  readonly acquirer_merchant_id: string
  readonly category_code: string
  readonly name_and_location: string
  readonly currencies: string[]
  readonly unreferenced_credits: boolean
}

async function readSite(pool: pg.Pool, siteId: bigint): Promise<Site | null> {
  const { rows } = await pool.query<SiteRow>('select * from sites where id = $1', [siteId])
  const row = rows[0]
  if (row === undefined) return null
  const accounts = await pool.query<AccountRow>(
    `select a.* from merchant_accounts a
       join site_merchant_accounts s on s.merchant_account_id = a.id
      where s.site_id = $1 and a.mode = $2 and a.merchant_id = $3
      order by s.position, a.id`,
    [siteId, row.mode, row.merchant_id],
  )
  const products = await pool.query<{ code: string; active: boolean }>(
    'select code, active from products where site_id = $1',
    [siteId],
  )
  return {
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    mode: row.mode,
    tolerance: row.tolerance,
    defaultCurrency: row.default_currency,
    cvvRequired: row.cvv_required,
    avsMode: row.avs_mode,
    cvvMode: row.cvv_mode,
    avsMatchSet: row.avs_match_set,
    cvvMatchSet: row.cvv_match_set,
    catalogue: row.catalogue,
    defaultProduct: row.default_product,
    products: new Map(products.rows.map(({ code, active }) => [code, { active }])),
    cardTesting: await readCardTestingPolicy(pool, siteId),
    merchantAccounts: accounts.rows.map(merchantAccount),
  }
}

function merchantAccount(row: AccountRow): MerchantAccount {
  return {
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    mode: row.mode,
    linkId: row.processor_link_id === null ? null : BigInt(row.processor_link_id),
    standsFor: row.stands_for === null ? null : BigInt(row.stands_for),
    processorName: row.processor_name,
    acquirerId: row.acquirer_id,
    acquirerMerchantId: row.acquirer_merchant_id,
    categoryCode: row.category_code,
    nameAndLocation: row.name_and_location,
    currencies: row.currencies,
    unreferencedCredits: row.unreferenced_credits,
  }
}
