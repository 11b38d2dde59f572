import type pg from 'pg'
import {
  expectsSecurityCode,
  hasOwnChecks,
} from '../../../adapters/postgres/audit/logged-parameters.ts'
import { createCardTestingReader } from '../../../adapters/postgres/card-testing/card-testing-admin.ts'
import { readTokenKeys } from '../../../adapters/postgres/card-tokens/token-key-store.ts'
import {
  SITE_SETTINGS_COLUMNS,
  siteSettings,
  type SiteSettingsRow,
} from '../../../adapters/postgres/merchants/site-settings-store.ts'
import { readThreeDsPolicy } from '../../../adapters/postgres/three-ds/three-ds-admin.ts'
import type { CardTestingView } from '../../../usecases/card-testing/card-testing-operator.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { PastChecks, SettingsReader } from '../usecases/settings.ts'

/** How long a process may go on with what it read of a site before. */
const KNOWN_WITHIN_SECONDS = 2

const PAST_DAYS = 7
/** A page that is waited for must not read a year of a large shop. */
const PAST_LIMIT = 50_000
const CALLS_LIMIT = 20_000

/** Payments of the site $2 of the merchant $1 in the last days by the clock of the site. */
const PAST_PAYMENTS = `from transactions t join orders o on o.id = t.order_id
  where t.merchant_id = $1 and o.site_id = $2 and t.kind in ('authorization', 'sale')
    and t.created_at > site_time($2, now()) - make_interval(days => ${PAST_DAYS})
    and t.created_at <= site_time($2, now())`

/** A link that a process reported in the last seconds. */
export const LINK_IS_UP = `exists (select from processor_link_states t
  where t.link_id = a.processor_link_id and t.state = 'up' and t.reported_at > now() - interval '15 seconds')`

const NO_RULES: CardTestingView = {
  mode: 'off',
  rules: [],
  exceptAddresses: [],
  revision: 0,
  hits: [],
}

/** Reads the data of the settings pages; every query names the merchant. */
export function createSettingsReader(pool: pg.Pool): SettingsReader {
  const cardTesting = createCardTestingReader(pool)
  return {
    async listSites(merchantId) {
      const { rows } = await pool.query<{
        id: string
        name: string
        mode: Mode
        default_currency: string
        tolerance: 'strict' | 'wide'
        catalogue: 'open' | 'strict'
        card_testing: 'off' | 'watch' | 'enforce'
        accounts: string[]
      }>(
        `select s.id, s.name, s.mode, s.default_currency, s.tolerance, s.catalogue,
                coalesce(p.mode, 'off') as card_testing,
                array(select a.id::text from site_merchant_accounts m
                        join merchant_accounts a on a.id = m.merchant_account_id
                       where m.site_id = s.id and a.mode = s.mode order by m.position, a.id) as accounts
           from sites s left join card_testing_policies p on p.site_id = s.id
          where s.merchant_id = $1
            and s.id not in (select site_id from throwaway_sites where ended_at is not null)
          order by s.id`,
        [merchantId],
      )
      return rows.map(({ id, default_currency: defaultCurrency, card_testing, ...row }) => ({
        ...row,
        id: BigInt(id),
        defaultCurrency,
        cardTesting: card_testing,
      }))
    },

    async hasSite(merchantId, siteId) {
      const { rowCount } = await pool.query(
        'select from sites where id = $1 and merchant_id = $2',
        [siteId, merchantId],
      )
      return rowCount === 1
    },

    async readSite(merchantId, siteId) {
      const { rows } = await pool.query<
        SiteSettingsRow & { mode: Mode; catalogue: 'open' | 'strict'; has_clock: boolean }
      >(
        `select ${SITE_SETTINGS_COLUMNS}, s.mode, s.catalogue, exists (select from site_clocks c where c.site_id = s.id) as has_clock
           from sites s where s.id = $1 and s.merchant_id = $2`,
        [siteId, merchantId],
      )
      const [row] = rows
      if (row === undefined) return null
      const [products, threeDs, rules, tokens, accounts] = await Promise.all([
        pool.query<{ code: string; active: boolean }>(
          'select code, active from products where site_id = $1 order by code limit 500',
          [siteId],
        ),
        readThreeDsPolicy(pool, siteId),
        cardTesting.show(siteId),
        readTokenKeys(pool, siteId),
        readAccounts(pool, merchantId, siteId),
      ])
      if (threeDs === null || tokens === null) return null
      return {
        id: siteId,
        mode: row.mode,
        settings: siteSettings(row),
        catalogue: row.catalogue,
        products: products.rows,
        threeDs,
        cardTesting: rules ?? NO_RULES,
        tokens,
        accounts,
        hasOwnClock: row.has_clock,
        changeDelaySeconds: KNOWN_WITHIN_SECONDS,
      }
    },

    async readPastChecks(merchantId, siteId) {
      const looked = await pool.query<{ more: boolean }>(
        `select count(*) > ${PAST_LIMIT} as more
           from (select t.id ${PAST_PAYMENTS} limit ${PAST_LIMIT + 1}) t`,
        [merchantId, siteId],
      )
      const { rows } = await pool.query<{
        avs_code: string
        cvv_code: string
        outcome: PastChecks['outcome']
        code_expected: boolean
        own_rules: boolean
        payments: string
      }>(
        `with past as materialized (
           select t.* ${PAST_PAYMENTS} order by t.created_at desc limit ${PAST_LIMIT})
         select t.avs_code, t.cvv_code, ${expectsSecurityCode('r')} as code_expected,
                ${hasOwnChecks('r')} as own_rules,
                case when t.state = 'approved' then 'approved'
                     when t.service_code = 623 then 'avs_failed' else 'cvv_failed' end as outcome,
                count(*) as payments
           from past t join requests r on r.id = t.request_id and r.transaction_id = t.id
          where t.to_processor and (t.state = 'approved'
                or (t.state = 'declined' and t.service_code in (621, 623)))
          group by 1, 2, 3, 4, 5`,
        [merchantId, siteId],
      )
      const [own, others] = [
        rows.filter((row) => row.own_rules),
        rows.filter((row) => !row.own_rules),
      ]
      return {
        days: PAST_DAYS,
        groups: others.map((row) => ({
          avsCode: row.avs_code,
          cvvCode: row.cvv_code,
          outcome: row.outcome,
          codeExpected: row.code_expected,
          payments: Number(row.payments),
        })),
        ownRules: own.reduce((sum, row) => sum + Number(row.payments), 0),
        isCut: looked.rows[0]?.more === true,
      }
    },

    async readRecentCallers(merchantId, username) {
      const { rows } = await pool.query<{ address: string; requests: string; last_at: Date }>(
        `select address, count(*) as requests, max(received_at) as last_at
           from (select address, username, received_at from requests
                  where merchant_id = $1 and received_at > now() - interval '${PAST_DAYS} days'
                  order by received_at desc limit ${CALLS_LIMIT}) r
          where username = $2 and address <> '' group by address order by last_at desc limit 50`,
        [merchantId, username],
      )
      return rows.map(({ address, requests, last_at: lastAt }) => ({
        address,
        requests: Number(requests),
        lastAt,
      }))
    },
  }
}

async function readAccounts(pool: pg.Pool, merchantId: bigint, siteId: bigint) {
  const { rows } = await pool.query<{
    id: string
    mode: Mode
    processor_name: string
    currencies: string[]
    link: string | null
    link_up: boolean | null
    acquirer_merchant_id: string
    category_code: string
    name_and_location: string
    unreferenced_credits: boolean
    brands: string[] | null
    required_fields: string[]
    three_ds_requestor_id: string | null
    three_ds_requestor_url: string | null
    stands_for: string | null
  }>(
    `select a.id, a.mode, a.processor_name, a.currencies, l.name as link,
            case when l.id is not null then ${LINK_IS_UP} end as link_up,
            a.acquirer_merchant_id, a.category_code, a.name_and_location, a.unreferenced_credits,
            a.brands, a.required_fields,
            a.three_ds_requestor_id, a.three_ds_requestor_url, a.stands_for
       from site_merchant_accounts m
       join merchant_accounts a on a.id = m.merchant_account_id
       left join processor_links l on l.id = a.processor_link_id
      where m.site_id = $1 and a.merchant_id = $2 order by a.mode desc, m.position, a.id`,
    [siteId, merchantId],
  )
  return rows.map((row) => ({
    id: BigInt(row.id),
    mode: row.mode,
    processorName: row.processor_name,
    currencies: row.currencies,
    link: row.link,
    linkUp: row.link_up,
    acquirerMerchantId: row.acquirer_merchant_id,
    categoryCode: row.category_code,
    nameAndLocation: row.name_and_location.replaceAll(/ +/g, ' '),
    unreferencedCredits: row.unreferenced_credits,
    brands: row.brands,
    requiredFields: row.required_fields,
    threeDsRequestorId: row.three_ds_requestor_id,
    threeDsRequestorUrl: row.three_ds_requestor_url,
    standsFor: row.stands_for === null ? null : BigInt(row.stands_for),
  }))
}
