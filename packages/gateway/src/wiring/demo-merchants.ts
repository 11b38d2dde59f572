import type pg from 'pg'
import { hashPassword } from '../adapters/credentials/password-hash.ts'
import { tokenKeyBinding, type SecretSeal } from '../adapters/vault/secret-seal.ts'
import { Secret } from '../base/secret.ts'
import { SANDBOX } from '../config/sandbox-credentials.ts'
import { createPublishedSites } from './published-sites.ts'

/** The sandbox's published merchants; README.md names them too. */
const DEMO = [
  {
    id: 1,
    name: 'Demo Shop',
    username: SANDBOX.apiUser,
    password: SANDBOX.apiPassword,
    owner: SANDBOX.portalUser,
    sites: [
      { id: 1001, account: 2001, tolerance: 'strict' },
      { id: 1003, account: 2003, tolerance: 'wide' },
    ],
  },
  {
    id: 2,
    name: 'Other Shop',
    username: 'other@tollgate.test',
    password: 'Sandbox-4.14-other',
    owner: 'owner@other.test',
    sites: [{ id: 1002, account: 2002, tolerance: 'strict' }],
  },
] as const

const CURRENCIES = ['USD', 'EUR', 'GBP', 'JPY', 'KWD']

/** Makes the demo merchants where they are missing; what was changed by hand stays. */
export async function createDemoMerchants(pool: pg.Pool, seal: SecretSeal): Promise<void> {
  for (const merchant of DEMO) {
    await pool.query('insert into merchants (id, name) values ($1, $2) on conflict do nothing', [
      merchant.id,
      merchant.name,
    ])
    const { rowCount: known } = await pool.query('select from api_users where username = $1', [
      merchant.username,
    ])
    if (known === 0) {
      await pool.query(
        `with made as (
           insert into api_users (merchant_id, username, made_by, reads_api)
           values ($1, $2, 'sandbox', true)
           on conflict do nothing returning id)
         insert into api_user_passwords (user_id, number, place, hash, made_by)
         select id, 1, 1, $3, 'sandbox' from made`,
        [merchant.id, merchant.username, await hashPassword(new Secret(merchant.password))],
      )
    }
    await createDemoOwner(pool, merchant)
    for (const site of merchant.sites) {
      await createDemoSite(pool, merchant, site)
      await createDemoTokenKey(pool, seal, site.id)
    }
  }
  for (const siteId of await createPublishedSites(pool)) {
    await createDemoTokenKey(pool, seal, siteId)
  }
}

async function createDemoOwner(
  pool: pg.Pool,
  merchant: { readonly id: number; readonly name: string; readonly owner: string },
): Promise<void> {
  const { rowCount: known } = await pool.query('select from portal_users where email = $1', [
    merchant.owner,
  ])
  if (known !== 0) return
  await pool.query(
    `insert into portal_users (merchant_id, email, name, role, password_hash, published_password_hash)
     values ($1, $2, $3, 'owner', $4, $4) on conflict do nothing`,
    [
      merchant.id,
      merchant.owner,
      `Owner of ${merchant.name}`,
      await hashPassword(new Secret(SANDBOX.portalPassword)),
    ],
  )
}

async function createDemoSite(
  pool: pg.Pool,
  merchant: { readonly id: number; readonly name: string },
  site: { readonly id: number; readonly account: number; readonly tolerance: string },
): Promise<void> {
  await pool.query(
    `insert into merchant_accounts (id, merchant_id, mode, processor_name, acquirer_id,
       acquirer_merchant_id, category_code, name_and_location, currencies, unreferenced_credits,
       three_ds_requestor_id, three_ds_requestor_url)
     values ($1, $2, 'test', 'Test Processor', '414000', $3, '5999', $4, $5, $6, $7, $8)
     on conflict do nothing`,
    [
      site.account,
      merchant.id,
      `TOLLGATE${site.account}`,
      merchant.name.padEnd(25) + 'Springfield'.padEnd(13) + 'US',
      CURRENCIES,
      // Site 1003 may send unreferenced credits; the others show the refusal.
      site.account === 2003,
      `TOLLGATE-${site.account}`,
      'https://shop.example',
    ],
  )
  await pool.query(
    `insert into sites (id, merchant_id, name, tolerance, token_origins) values ($1, $2, $3, $4, '{*}')
     on conflict do nothing`,
    [site.id, merchant.id, `${merchant.name} ${site.id}`, site.tolerance],
  )
  await pool.query(
    `insert into site_merchant_accounts (site_id, merchant_account_id) values ($1, $2)
     on conflict do nothing`,
    [site.id, site.account],
  )
  await pool.query(
    `insert into batches (merchant_id, merchant_account_id)
     select $1, $2 where not exists
       (select from batches where merchant_account_id = $2 and closed_at is null)
     on conflict do nothing`,
    [merchant.id, site.account],
  )
}

function publishedTokenKey(siteId: number | bigint): Secret {
  return new Secret(`sandbox-site-key-${siteId}`)
}

/** Whether a site's token key is the one that everybody knows. */
export function isPublishedTokenKey(key: Secret, siteId: bigint): boolean {
  return key.reveal() === publishedTokenKey(siteId).reveal()
}

async function createDemoTokenKey(pool: pg.Pool, seal: SecretSeal, siteId: number): Promise<void> {
  const key = publishedTokenKey(siteId)
  const { ciphertext, dataKeyId } = await seal.seal(key, tokenKeyBinding(BigInt(siteId)))
  await pool.query(
    `insert into site_token_keys (site_id, generation, key_ciphertext, data_key_id)
     select $1, 'current', $2, $3 where not exists (select from site_token_keys where site_id = $1)
     on conflict do nothing`,
    [siteId, ciphertext, dataKeyId],
  )
}
