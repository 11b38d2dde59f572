import type pg from 'pg'
import type { CheckMode } from '../../../domain/payments/verification.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { LeftBehind, ModeFacts, AccountRoute } from '../domain/going-live.ts'
import { LINK_IS_UP } from './settings-reader.ts'

export interface ModeFactsDeps {
  /** Whether a stored token key is the published one of the sandbox. */
  readonly isPublishedKey: (stored: Buffer, siteId: bigint) => Promise<boolean>
  /** API_USER_IDLE_DAYS. */
  readonly idleDays: number
  /** Whether test accounts without a link have the bundled bank to go to. */
  readonly hasBundledBank: boolean
}

interface SiteRow {
  readonly mode: Mode
  readonly default_product: string
  readonly token_origins: string[]
  readonly avs_mode: CheckMode
  readonly cvv_mode: CheckMode
  readonly cvv_required: boolean
  readonly catalogue: 'open' | 'strict'
  readonly three_ds_unavailable: 'authorize' | 'decline'
  readonly three_ds_return_hosts: string[]
  readonly has_clock: boolean
  readonly card_testing: 'off' | 'watch' | 'enforce'
  readonly products: number
  readonly default_is_active: boolean
}

interface AccountRow {
  readonly id: string
  readonly mode: Mode
  readonly processor_name: string
  readonly currencies: string[]
  readonly link: string | null
  readonly link_up: boolean
  readonly three_ds: boolean
}

/** Reads what decides how a site's other mode differs; null for no such site of the merchant. */
export async function readModeFacts(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  { isPublishedKey, idleDays, hasBundledBank }: ModeFactsDeps,
  merchantId: bigint,
  siteId: bigint,
): Promise<ModeFacts | null> {
  const sites = await client.query<SiteRow>(
    `select s.mode, s.default_product, s.token_origins, s.avs_mode, s.cvv_mode, s.cvv_required, s.catalogue,
            s.three_ds_unavailable, s.three_ds_return_hosts,
            exists (select from site_clocks c where c.site_id = s.id) as has_clock,
            coalesce((select p.mode from card_testing_policies p where p.site_id = s.id), 'off') as card_testing,
            (select count(*)::int from products p where p.site_id = s.id and p.active) as products,
            exists (select from products p where p.site_id = s.id and p.active and p.code = s.default_product) as default_is_active
       from sites s where s.id = $1 and s.merchant_id = $2`,
    [siteId, merchantId],
  )
  const [site] = sites.rows
  if (site === undefined) return null
  const accounts = await client.query<AccountRow>(
    `select a.id, a.mode, a.processor_name, a.currencies, l.name as link,
            (l.id is null and $3) or ${LINK_IS_UP} as link_up, a.three_ds_requestor_id is not null as three_ds
       from site_merchant_accounts m
       join merchant_accounts a on a.id = m.merchant_account_id and a.merchant_id = $2
       left join processor_links l on l.id = a.processor_link_id
      where m.site_id = $1 order by m.position, a.id`,
    [siteId, merchantId, hasBundledBank],
  )
  const keys = await client.query<{ key_ciphertext: Buffer }>(
    'select key_ciphertext from site_token_keys where site_id = $1 order by generation',
    [siteId],
  )
  const users = await client.query<{ username: string; published: boolean; everywhere: boolean }>(
    `select u.username, cardinality(u.allowed_from) = 0 as everywhere,
            exists (select from api_user_passwords p
                     where p.user_id = u.id and p.retired_at is null and p.made_by = 'sandbox') as published
       from api_users u where u.merchant_id = $1 and u.active order by u.username`,
    [merchantId],
  )
  const portalUsers = await client.query<{ email: string }>(
    `select email from portal_users
      where merchant_id = $1 and active and password_hash = published_password_hash order by email`,
    [merchantId],
  )
  let publishedTokenKey = false
  for (const key of keys.rows)
    publishedTokenKey ||= await isPublishedKey(key.key_ciphertext, siteId)
  const from = site.mode
  const to: Mode = from === 'test' ? 'live' : 'test'
  return {
    from,
    to,
    routes: routesOf(accounts.rows, from, to),
    hasOwnClock: site.has_clock,
    cardTesting: site.card_testing,
    threeDsUnavailable: site.three_ds_unavailable,
    returnHosts: site.three_ds_return_hosts,
    tokenOrigins: site.token_origins,
    publishedTokenKey,
    publishedPortalUsers: portalUsers.rows.map(({ email }) => email),
    apiUsers: {
      enabled: users.rows.length,
      published: users.rows.filter((user) => user.published).map(({ username }) => username),
      fromEverywhere: users.rows.filter((user) => user.everywhere).map(({ username }) => username),
      idleDays,
    },
    avsMode: site.avs_mode,
    cvvMode: site.cvv_mode,
    cvvRequired: site.cvv_required,
    catalogue: {
      kind: site.catalogue,
      active: site.products,
      defaultIsActive: site.default_is_active,
    },
  }
}

/** Which account takes each currency in either mode: of several the first, as for payments. */
function routesOf(accounts: readonly AccountRow[], from: Mode, to: Mode): ModeFacts['routes'] {
  const routeFor = (mode: Mode, currency: string): AccountRoute | null => {
    const account = accounts.find(
      (each) => each.mode === mode && each.currencies.includes(currency),
    )
    if (account === undefined) return null
    return {
      accountId: account.id,
      processorName: account.processor_name,
      link: account.link,
      linkUp: account.link_up,
      threeDs: account.three_ds,
    }
  }
  const currencies = [...new Set(accounts.flatMap((account) => account.currencies))].toSorted()
  return currencies.map((currency) => ({
    currency,
    from: routeFor(from, currency),
    to: routeFor(to, currency),
  }))
}

/** The objects of the site's present mode that cannot be reached from the other. */
export async function readLeftBehind(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  merchantId: bigint,
  siteId: bigint,
  mode: Mode,
): Promise<LeftBehind> {
  const { rows } = await client.query<{ orders: number; memberships: number }>(
    `select (select count(*)::int from orders
              where site_id = $1 and merchant_id = $2 and mode = $3 and state = 'authorized' and released_at is null
                and expires_at is not null and authorized_minor > captured_minor + voided_minor) as orders,
            (select count(*)::int from memberships
              where site_id = $1 and merchant_id = $2 and mode = $3 and next_at is not null) as memberships`,
    [siteId, merchantId, mode],
  )
  return { openAuthorizations: rows[0]?.orders ?? 0, runningMemberships: rows[0]?.memberships ?? 0 }
}
