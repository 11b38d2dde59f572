import type pg from 'pg'
import { hashPassword } from '../../packages/gateway/src/adapters/credentials/password-hash.ts'
import { Secret } from '../../packages/gateway/src/base/secret.ts'

/** Opens only the sandbox, where it is public. */
export const SAMPLE_PASSWORD = 'Sandbox-4.14-sample'
export const SAMPLE_MERCHANT = {
  id: 9,
  name: 'Harbour Goods',
  owner: 'owner@harbour.test',
} as const

export interface SampleSite {
  readonly id: number
  readonly account: number
  readonly name: string
  /** The first is the site's default. */
  readonly currencies: readonly string[]
}

/** Sites with currencies of two, none and three decimals. */
export const SAMPLE_SITES: readonly SampleSite[] = [
  { id: 1091, account: 2091, name: 'harbour.example', currencies: ['EUR', 'USD', 'GBP'] },
  { id: 1092, account: 2092, name: 'Harbour Japan', currencies: ['JPY', 'USD'] },
  { id: 1093, account: 2093, name: 'Harbour Gulf', currencies: ['KWD', 'USD', 'EUR'] },
]

/** The acquirer's name of an account: DE 42. */
export function acquirerIdOf(account: number): string {
  return `TOLLGATE${account}`
}

/** The senders of payments: the shop, its app, and the telephone desk. */
export const SAMPLE_USERS = ['shop@harbour.test', 'app@harbour.test', 'desk@harbour.test'] as const

const PORTAL_USERS = [
  { email: SAMPLE_MERCHANT.owner, name: 'Olive Wharton', role: 'owner' },
  { email: 'finance@harbour.test', name: 'Finn Ledger', role: 'finance' },
  { email: 'support@harbour.test', name: 'Sam Porter', role: 'support' },
] as const

/** Whether the merchant has been made by an earlier run. */
export async function hasSampleMerchant(pool: pg.Pool): Promise<boolean> {
  const { rowCount } = await pool.query('select from merchants where id = $1', [SAMPLE_MERCHANT.id])
  return rowCount !== 0
}

/** Makes the merchant, whose sites' clocks show `begin`; it has no orders yet. */
export async function createSampleMerchant(pool: pg.Pool, begin: Date): Promise<void> {
  const hash = await hashPassword(new Secret(SAMPLE_PASSWORD))
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('insert into merchants (id, name, created_at) values ($1, $2, $3)', [
      SAMPLE_MERCHANT.id,
      SAMPLE_MERCHANT.name,
      begin,
    ])
    for (const username of SAMPLE_USERS) {
      await client.query(
        `with made as (insert into api_users (merchant_id, username, made_by) values ($1, $2, 'sandbox') returning id)
         insert into api_user_passwords (user_id, number, place, hash, made_by) select id, 1, 1, $3, 'sandbox' from made`,
        [SAMPLE_MERCHANT.id, username, hash],
      )
    }
    for (const { email, name, role } of PORTAL_USERS) {
      await client.query(
        'insert into portal_users (merchant_id, email, name, role, password_hash, published_password_hash) values ($1, $2, $3, $4, $5, $5)',
        [SAMPLE_MERCHANT.id, email, name, role, hash],
      )
    }
    for (const site of SAMPLE_SITES) await createSite(client, site, begin)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

async function createSite(client: pg.ClientBase, site: SampleSite, begin: Date): Promise<void> {
  await client.query(
    `insert into merchant_accounts (id, merchant_id, mode, processor_name, acquirer_id, acquirer_merchant_id,
       category_code, name_and_location, currencies, unreferenced_credits)
     values ($1, $2, 'test', 'Test Processor', '414000', $3, '5999', $4, $5, true)`,
    [
      site.account,
      SAMPLE_MERCHANT.id,
      acquirerIdOf(site.account),
      `${site.name.padEnd(25)}${'Springfield'.padEnd(13)}US`,
      site.currencies,
    ],
  )
  await client.query(
    'insert into sites (id, merchant_id, name, default_currency) values ($1, $2, $3, $4)',
    [site.id, SAMPLE_MERCHANT.id, site.name, site.currencies[0]],
  )
  await client.query(
    'insert into site_merchant_accounts (site_id, merchant_account_id) values ($1, $2)',
    [site.id, site.account],
  )
  await client.query(
    'insert into batches (merchant_id, merchant_account_id, opened_at) values ($1, $2, $3)',
    [SAMPLE_MERCHANT.id, site.account, begin],
  )
  // A clock is only ever moved forward. Before anything has happened at a site it may begin in the
  // past.
  await client.query(
    `insert into site_clocks (site_id, site_at, real_at, changed_by) values ($1, $2, now(), 'sandbox')`,
    [site.id, begin],
  )
}
