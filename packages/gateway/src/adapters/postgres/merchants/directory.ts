import type pg from 'pg'
import type { Clock } from '../../../base/clock.ts'
import type { CheckMode } from '../../../domain/payments/verification.ts'
import { clockOf } from '../../../usecases/clocks/stored-clock.ts'
import type { LoginDirectory, StoredApiUser } from '../../../usecases/logins/login-ports.ts'
import type { Mode, Site } from '../../../usecases/merchants/merchant-directory.ts'
import { readCardTestingPolicy } from '../card-testing/card-testing-policy.ts'
import {
  readSiteClock,
  SITE_CLOCK_COLUMNS,
  storedClock,
  type SiteClockRow,
} from '../clocks/site-clock-rows.ts'
import { isOfDisabled } from '../connection/disabled-merchants.ts'
import { allowedAddresses } from '../logins/allowed-addresses.ts'
import { requestRateOf } from '../logins/request-rate-columns.ts'
import { catalogueProduct, PRODUCT_COLUMNS, type ProductRow } from '../memberships/product-rows.ts'
import { accountColumns, merchantAccount, type AccountRow } from './account-rows.ts'

/** How long a change may take to be seen by every process. */
const MEMORY_MS = 2_000
/** Only what exists is remembered, so that guessing fills nothing. */
const MEMORY_LIMIT = 20_000

/**
 * Users and sites. `idleDays`: a user that was not used for so long is taken for idle; 0 for never.
 * Sites are remembered for each merchant by itself: what another one's traffic brought into memory
 * would otherwise be found faster than what does not exist. A clock that a site has of its own is
 * read each time: only that a site has none is remembered.
 */
export function createDirectory(
  pool: pg.Pool,
  monotonicMs: () => number,
  idleDays: number,
  machine: Clock,
): LoginDirectory {
  const users = createMemory<StoredApiUser>(monotonicMs)
  const sites = createMemory<Site>(monotonicMs)
  const siteKey = (merchantId: bigint, siteId: bigint): string => `${merchantId} ${siteId}`
  return {
    recallUser(username) {
      const entry = users.recall(username)
      return entry === undefined ? undefined : { user: entry.value, fresh: entry.fresh }
    },
    readUser: (username) => users.read(username, () => readUser(pool, username, idleDays)),
    recallSite(merchantId, siteId) {
      const entry = sites.recall(siteKey(merchantId, siteId))
      return entry?.fresh === true && !entry.value.hasOwnClock ? entry.value : undefined
    },
    async readSite(merchantId, siteId) {
      const key = siteKey(merchantId, siteId)
      const known = sites.recall(key)
      const isTimeless = known?.fresh === true && known.value.hasOwnClock
      const site = isTimeless
        ? known.value
        : await sites.read(key, () => readSite(pool, merchantId, siteId, machine, false))
      // Not the one that came with it: a caller that shares a reading may have come after a change.
      if (site === null || !site.hasOwnClock) return site
      const stored = await readSiteClock(pool, siteId)
      return stored === null
        ? { ...site, hasOwnClock: false, clock: machine }
        : { ...site, clock: clockOf(stored, machine) }
    },
  }
}

interface Memory<Value> {
  recall(key: string): { readonly value: Value; readonly fresh: boolean } | undefined
  /** Those who ask for the same at the same time share one reading. */
  read(key: string, how: () => Promise<Value | null>): Promise<Value | null>
}

function createMemory<Value>(monotonicMs: () => number): Memory<Value> {
  const known = new Map<string, { readonly value: Value; readonly until: number }>()
  const reading = new Map<string, Promise<Value | null>>()

  async function readAnew(key: string, how: () => Promise<Value | null>): Promise<Value | null> {
    try {
      const value = await how()
      known.delete(key)
      if (value === null) return null
      const [oldest] = known.size < MEMORY_LIMIT ? [] : known.keys()
      if (oldest !== undefined) known.delete(oldest)
      known.set(key, { value, until: monotonicMs() + MEMORY_MS })
      return value
    } finally {
      reading.delete(key)
    }
  }

  return {
    recall(key) {
      const entry = known.get(key)
      return entry === undefined
        ? undefined
        : { value: entry.value, fresh: entry.until > monotonicMs() }
    },
    read(key, how) {
      const open = reading.get(key) ?? readAnew(key, how)
      reading.set(key, open)
      return open
    },
  }
}

/** Idle: neither made, enabled nor used within so many days, by the database's clock. */
export const IS_IDLE = (days: string): string =>
  `(${days} > 0 and greatest(u.made_at, u.enabled_at, u.last_used_at) < now() - ${days} * interval '1 day')`

async function readUser(
  pool: pg.Pool,
  username: string,
  idleDays: number,
): Promise<StoredApiUser | null> {
  const { rows } = await pool.query<{
    id: string
    merchant_id: string
    username: string
    active: boolean
    reads_api: boolean
    request_rate: number | null
    request_burst: number | null
    idle: boolean
    allowed_from: string[]
    merchant_disabled: boolean
    passwords: { readonly number: number; readonly hash: string }[]
  }>(
    `select u.id, u.merchant_id, u.username, u.active, u.reads_api, u.request_rate, u.request_burst,
            ${IS_IDLE('$2::integer')} as idle,
            ${isOfDisabled('u.merchant_id')} as merchant_disabled,
            u.allowed_from::text[] as allowed_from,
            (select coalesce(json_agg(json_build_object('number', p.number, 'hash', p.hash)
                                      order by p.number), '[]')
               from api_user_passwords p where p.user_id = u.id and p.retired_at is null) as passwords
       from api_users u where u.username = $1`,
    [username, idleDays],
  )
  const row = rows[0]
  if (row === undefined) return null
  return {
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    username: row.username,
    readsApi: row.reads_api,
    requestRate: requestRateOf(row),
    passwords: row.passwords,
    state: row.merchant_disabled
      ? 'merchant disabled'
      : !row.active
        ? 'disabled'
        : row.idle
          ? 'idle'
          : 'enabled',
    isAllowedFrom: allowedAddresses(row.allowed_from),
  }
}

interface SiteRow extends SiteClockRow {
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
  readonly three_ds_required: boolean
  readonly three_ds_unavailable: 'authorize' | 'decline'
  readonly three_ds_pares_required: boolean
  readonly three_ds_challenge: string | null
  readonly three_ds_return_hosts: string[]
}

/** Reads a site that may have ended, for the job that removes its data. */
export function readEndedSite(
  pool: pg.Pool,
  machine: Clock,
): (merchantId: bigint, siteId: bigint) => Promise<Site | null> {
  return (merchantId, siteId) => readSite(pool, merchantId, siteId, machine, true)
}

/** Asks the same for a site that is not there as for one that is, so that both take as long. */
async function readSite(
  pool: pg.Pool,
  merchantId: bigint,
  siteId: bigint,
  machine: Clock,
  findsEnded: boolean,
): Promise<Site | null> {
  const { rows } = await pool.query<SiteRow>(
    `select s.*, ${SITE_CLOCK_COLUMNS}
       from sites s left join site_clocks c on c.site_id = s.id
      where s.id = $1 and s.merchant_id = $2
        and ($3 or not exists (select from throwaway_sites t
                                where t.site_id = s.id and t.ended_at is not null))`,
    [siteId, merchantId, findsEnded],
  )
  const row = rows[0]
  const accounts = await pool.query<AccountRow>(
    `select ${accountColumns('a')} from merchant_accounts a
       join site_merchant_accounts s on s.merchant_account_id = a.id
      where s.site_id = $1 and a.mode = $2 and a.merchant_id = $3
      order by s.position, a.id`,
    [siteId, row?.mode ?? 'test', merchantId],
  )
  const products = await pool.query<ProductRow>(
    `select ${PRODUCT_COLUMNS} from products where site_id = $1`,
    [row?.id ?? 0],
  )
  if (row === undefined) return null
  const stored = storedClock(row)
  return {
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    mode: row.mode,
    hasOwnClock: stored !== null,
    clock: stored === null ? machine : clockOf(stored, machine),
    tolerance: row.tolerance,
    defaultCurrency: row.default_currency,
    cvvRequired: row.cvv_required,
    avsMode: row.avs_mode,
    cvvMode: row.cvv_mode,
    avsMatchSet: row.avs_match_set,
    cvvMatchSet: row.cvv_match_set,
    catalogue: row.catalogue,
    defaultProduct: row.default_product,
    products: new Map(products.rows.map((product) => [product.code, catalogueProduct(product)])),
    cardTesting: await readCardTestingPolicy(pool, siteId),
    threeDs: {
      required: row.three_ds_required,
      whenUnavailable: row.three_ds_unavailable,
      paResRequired: row.three_ds_pares_required,
      challengePreference: row.three_ds_challenge,
      returnHosts: row.three_ds_return_hosts,
    },
    merchantAccounts: accounts.rows.map(merchantAccount),
  }
}
