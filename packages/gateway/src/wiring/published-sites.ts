import type pg from 'pg'
import { hashPassword } from '../adapters/credentials/password-hash.ts'
import { limitsText } from '../adapters/postgres/merchants/account-limits-text.ts'
import { Secret } from '../base/secret.ts'
import type { SiteSituation } from '../http/sandbox/published-site.ts'
import { PUBLISHED_SITES } from '../http/sandbox/published-sites.ts'
import {
  PUBLISHED_USERS,
  SITUATIONS_MERCHANT,
  SITUATIONS_PASSWORD,
  SITUATIONS_USER,
} from '../http/sandbox/published-users.ts'

const { id: MERCHANT, name: NAME } = SITUATIONS_MERCHANT
const CURRENCIES = ['USD', 'EUR', 'GBP', 'JPY', 'KWD']

/**
 * Makes the published sites of the sandbox, and puts changed settings back. Gives their ids; none
 * if a merchant of an older sandbox has the merchant's id.
 */
export async function createPublishedSites(pool: pg.Pool): Promise<readonly number[]> {
  await pool.query('insert into merchants (id, name) values ($1, $2) on conflict do nothing', [
    MERCHANT,
    NAME,
  ])
  const { rowCount } = await pool.query('select from merchants where id = $1 and name = $2', [
    MERCHANT,
    NAME,
  ])
  if (rowCount === 0) return []
  for (const text of STATEMENTS)
    await pool.query(text, [JSON.stringify(PUBLISHED_SITES.map(rowOf)), MERCHANT])
  await createUsers(pool)
  return PUBLISHED_SITES.map(({ id }) => id)
}

/** The columns of a published site, of its account, and of all that belongs to them. */
function rowOf({ account, id, name, situation }: (typeof PUBLISHED_SITES)[number]): object {
  const { products = [], rules, threeDs } = situation
  return {
    id,
    account,
    name,
    acquirer_merchant_id: `TOLLGATE${account}`,
    category_code: situation.categoryCode ?? '5999',
    name_and_location: `${NAME.padEnd(25)}${'Springfield'.padEnd(13)}US`,
    currencies: situation.currencies ?? CURRENCIES,
    unreferenced_credits: situation.unreferencedCredits ?? false,
    three_ds_requestor_id: situation.noThreeDs === true ? null : `TOLLGATE-${account}`,
    three_ds_requestor_url: situation.noThreeDs === true ? null : 'https://shop.example',
    brands: situation.brands ?? null,
    required_fields: situation.requiredFields ?? [],
    limits: limitsOf(situation),
    catalogue: products.length === 0 ? 'open' : 'strict',
    default_product: products[0]?.code ?? '1',
    three_ds_required: threeDs !== undefined,
    three_ds_unavailable: threeDs?.whenUnavailable ?? 'authorize',
    rules: rules ?? null,
    products: products.map(({ active, code, membership }) => ({
      code,
      active,
      ...(membership === undefined
        ? {}
        : {
            type: 'renews',
            metric: 'M',
            period: 1,
            price_minor: membership.priceMinor.toString(),
            currency: membership.currency,
          }),
    })),
  }
}

function limitsOf({ limits }: SiteSituation): object | null {
  if (limits === undefined) return null
  const { amounts, countries } = limits
  const text = limitsText({
    amounts: new Map(
      Object.entries(amounts).map(([currency, { day = null, payment = null }]) => [
        currency,
        { dayMinor: day, paymentMinor: payment },
      ]),
    ),
    countries: countries === undefined ? null : { rule: 'allow', codes: countries },
  })
  return JSON.parse(text) as object
}

const GIVEN = `with given as (select * from json_to_recordset($1::json) as g (
  id bigint, account bigint, name text, acquirer_merchant_id text, category_code text,
  name_and_location text, currencies text[], unreferenced_credits boolean,
  three_ds_requestor_id text, three_ds_requestor_url text, brands text[], required_fields text[],
  limits jsonb, catalogue text, default_product text, three_ds_required boolean,
  three_ds_unavailable text, rules json, products json))`

/** $1: the rows; $2: the merchant. */
const STATEMENTS = [
  `${GIVEN} insert into merchant_accounts (id, merchant_id, mode, processor_name, acquirer_id,
     acquirer_merchant_id, category_code, name_and_location, currencies, unreferenced_credits,
     three_ds_requestor_id, three_ds_requestor_url, brands, required_fields, limits)
   select account, $2, 'test', 'Test Processor', '414000', acquirer_merchant_id, category_code,
          name_and_location, currencies, unreferenced_credits, three_ds_requestor_id,
          three_ds_requestor_url, brands, required_fields, limits
     from given
   on conflict (id) do update
     set (category_code, name_and_location, currencies, unreferenced_credits,
          three_ds_requestor_id, three_ds_requestor_url, brands, required_fields, limits)
       = (excluded.category_code, excluded.name_and_location, excluded.currencies,
          excluded.unreferenced_credits, excluded.three_ds_requestor_id,
          excluded.three_ds_requestor_url, excluded.brands, excluded.required_fields,
          excluded.limits)
   where merchant_accounts.merchant_id = $2`,
  `${GIVEN} insert into sites (id, merchant_id, name, token_origins, catalogue, default_product,
     three_ds_required, three_ds_unavailable)
   select id, $2, name, '{*}', catalogue, default_product, three_ds_required, three_ds_unavailable
     from given
   on conflict (id) do update
     set (name, catalogue, default_product, three_ds_required, three_ds_unavailable)
       = (excluded.name, excluded.catalogue, excluded.default_product,
          excluded.three_ds_required, excluded.three_ds_unavailable)
   where sites.merchant_id = $2`,
  `${GIVEN} insert into site_merchant_accounts (site_id, merchant_account_id)
   select s.id, a.id from given g
     join sites s on s.id = g.id and s.merchant_id = $2
     join merchant_accounts a on a.id = g.account and a.merchant_id = $2
   on conflict do nothing`,
  `${GIVEN} insert into batches (merchant_id, merchant_account_id)
   select $2, a.id from given g
     join merchant_accounts a on a.id = g.account and a.merchant_id = $2
    where not exists (select from batches b
                       where b.merchant_account_id = a.id and b.closed_at is null)
   on conflict do nothing`,
  `${GIVEN} insert into products
     (site_id, code, active, type, metric, period, price_minor, currency)
   select s.id, p.code, p.active, p.type, p.metric, p.period, p.price_minor, p.currency
     from given g join sites s on s.id = g.id and s.merchant_id = $2
     cross join lateral json_to_recordset(g.products) as p (code text, active boolean, type text,
       metric text, period integer, price_minor bigint, currency text)
   on conflict (site_id, code) do update
     set (active, type, metric, period, price_minor, currency)
       = (excluded.active, excluded.type, excluded.metric, excluded.period, excluded.price_minor,
          excluded.currency)`,
  `${GIVEN} insert into card_testing_policies (site_id, mode, rules)
   select s.id, 'enforce', g.rules
     from given g join sites s on s.id = g.id and s.merchant_id = $2
    where g.rules is not null
   on conflict (site_id) do update set mode = 'enforce', rules = excluded.rules`,
]

async function createUsers(pool: pg.Pool): Promise<void> {
  const users = [
    { username: SITUATIONS_USER, active: true, readsApi: true, requestRate: null },
    ...PUBLISHED_USERS,
  ]
  const { rowCount } = await pool.query('select from api_users where username = any($1::text[])', [
    users.map(({ username }) => username),
  ])
  if (rowCount === users.length) return
  await pool.query(
    `with made as (
       insert into api_users (merchant_id, username, made_by, active, reads_api, request_rate,
         request_burst)
       select $1, u.username, 'sandbox', u.active, u.reads_api, u.request_rate, u.request_burst
         from json_to_recordset($2::json) as u (username text, active boolean, reads_api boolean,
           request_rate integer, request_burst integer)
       on conflict do nothing returning id)
     insert into api_user_passwords (user_id, number, place, hash, made_by)
     select id, 1, 1, $3, 'sandbox' from made`,
    [
      MERCHANT,
      JSON.stringify(
        users.map(({ active, readsApi, requestRate, username }) => ({
          username,
          active,
          reads_api: readsApi,
          request_rate: requestRate?.perSecond ?? null,
          request_burst: requestRate?.burst ?? null,
        })),
      ),
      await hashPassword(new Secret(SITUATIONS_PASSWORD)),
    ],
  )
}
