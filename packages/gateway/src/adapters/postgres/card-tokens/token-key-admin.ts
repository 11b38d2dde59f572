import type pg from 'pg'
import { refused, type Result } from '../../../base/refusal.ts'
import { noSuchSite, siteChangedMeanwhile } from '../../../domain/merchants/refused-site.ts'
import type { AuditAct, AuditAuthor, AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { TokenKeySummary } from '../../../usecases/merchants/operator.ts'
import { appendAudit } from '../audit/audit-log.ts'
import { AUDITED, inTransaction } from '../connection/transaction.ts'

/** A key as it is stored. */
export interface SealedTokenKey {
  readonly ciphertext: Buffer
  readonly dataKeyId: number
}

/** The keys' ages and the origins; never a key. */
export async function describeTokenKeys(
  pool: pg.Pool,
  siteId: number,
): Promise<Result<{ readonly summary: TokenKeySummary }>> {
  const { rows } = await pool.query<{
    token_origins: string[]
    current: Date | null
    previous: Date | null
  }>(
    `select s.token_origins, max(k.made_at) filter (where k.generation = 'current') as current,
            max(k.made_at) filter (where k.generation = 'previous') as previous
       from sites s left join site_token_keys k on k.site_id = s.id where s.id = $1 group by s.id`,
    [siteId],
  )
  const row = rows[0]
  if (row === undefined) return noSuchSite(siteId)
  const { current, previous, token_origins: origins } = row
  return { ok: true, summary: { current, previous, origins } }
}

/** Makes `key` the current one; the one before it goes on working until it is retired. */
export function addTokenKey(
  pool: pg.Pool,
  siteId: number,
  key: SealedTokenKey,
  by: AuditAuthor,
): Promise<Result<{ readonly previousWorks: boolean }>> {
  return onSite<{ previousWorks: boolean }>(
    pool,
    siteId,
    by,
    'site.token_key_made',
    async (client) => {
      const { rows } = await client.query<{ generation: string }>(
        'select generation from site_token_keys where site_id = $1',
        [siteId],
      )
      if (rows.some(({ generation }) => generation === 'previous')) {
        const fault =
          `Site ${siteId} has two token keys already, the most that work at once. Once nothing signs ` +
          `with the older one any more: "tollgate sites key ${siteId} retire".`
        return refused('conflict', fault)
      }
      await client.query(`update site_token_keys set generation = 'previous' where site_id = $1`, [
        siteId,
      ])
      await client.query(
        `insert into site_token_keys (site_id, generation, key_ciphertext, data_key_id)
       values ($1, 'current', $2, $3)`,
        [siteId, key.ciphertext, key.dataKeyId],
      )
      return {
        ok: true,
        previousWorks: rows.length > 0,
        details: { previousWorks: rows.length > 0 },
      }
    },
  )
}

/** Takes the older of two keys away. */
export function retireTokenKey(
  pool: pg.Pool,
  siteId: number,
  by: AuditAuthor,
): Promise<Result<object>> {
  return onSite<object>(pool, siteId, by, 'site.token_key_retired', async (client) => {
    const { rowCount } = await client.query(
      `delete from site_token_keys where site_id = $1 and generation = 'previous'`,
      [siteId],
    )
    if (rowCount === 1) return { ok: true, details: {} }
    const fault =
      `Site ${siteId} has no older token key to retire. To replace the one it has: ` +
      `"tollgate sites key ${siteId} new", then retire.`
    return refused('conflict', fault)
  })
}

/**
 * Sets the origins whose pages may read the token service's answers. `seen`: those the caller takes
 * to be set.
 */
export function setTokenOrigins(
  pool: pg.Pool,
  siteId: number,
  origins: readonly string[],
  by: AuditAuthor,
  seen: readonly string[] | null = null,
): Promise<Result<object>> {
  return onSite<object>(pool, siteId, by, 'site.token_origins_set', async (client) => {
    const { rows } = await client.query<{ before: string[] }>(
      `update sites s set token_origins = $2 from sites old where s.id = $1 and old.id = s.id
       returning old.token_origins as before`,
      [siteId, origins],
    )
    const before = rows[0]?.before ?? []
    if (seen !== null && seen.join(' ') !== before.join(' ')) return siteChangedMeanwhile(siteId)
    return { ok: true, details: { from: before, to: [...origins] } }
  })
}

type Change<Done> = Result<Done & { readonly details: NonNullable<AuditEntry['details']> }>

/** Changes a site that nobody else changes meanwhile, and puts it on record in the same commit. */
function onSite<Done extends object>(
  pool: pg.Pool,
  siteId: number,
  by: AuditAuthor,
  act: AuditAct,
  change: (client: pg.ClientBase) => Promise<Change<Done>>,
): Promise<Result<Done>> {
  return inTransaction(pool, AUDITED, async (client): Promise<Change<Done>> => {
    const { rows } = await client.query<{ merchant_id: string }>(
      'select merchant_id from sites where id = $1 for update',
      [siteId],
    )
    const [site] = rows
    if (site === undefined) return noSuchSite(siteId)
    const changed = await change(client)
    if (!changed.ok) return changed
    const merchantId = BigInt(site.merchant_id)
    const { details } = changed
    await appendAudit(client, [
      { ...by, act, object: `site ${siteId}`, merchantId, result: 'done', details },
    ])
    return changed
  })
}
