import type pg from 'pg'
import type { Secret } from '../../../base/secret.ts'
import type { TokenSite } from '../../../usecases/card-tokens/token-site.ts'
import type { SiteClocks } from '../../../usecases/clocks/site-clocks.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import { isOfDisabled } from '../connection/disabled-merchants.ts'
import { remember } from '../connection/remember.ts'

/**
 * Finds sites with their token keys through a short memory. One question answers for all sites that
 * are not there, have no key or belong to a disabled merchant: time does not distinguish them.
 */
export function createTokenSites(
  pool: pg.Pool,
  openKey: (sealed: Uint8Array, siteId: bigint) => Promise<Secret>,
  clocks: SiteClocks,
  monotonicMs: () => number,
): (siteId: bigint) => Promise<TokenSite | null> {
  const find = remember(
    monotonicMs,
    async (id: string): Promise<Omit<TokenSite, 'clock'> | null> => {
      const { rows } = await pool.query<{
        merchant_id: string
        mode: Mode
        tolerance: 'strict' | 'wide'
        token_origins: string[]
        key_ciphertext: Buffer
      }>(
        `select s.merchant_id, s.mode, s.tolerance, s.token_origins, k.key_ciphertext
         from site_token_keys k join sites s on s.id = k.site_id
        where k.site_id = $1 and not ${isOfDisabled('s.merchant_id')} order by k.generation`,
        [id],
      )
      const [site] = rows
      if (site === undefined) return null
      const siteId = BigInt(id)
      return {
        id: siteId,
        merchantId: BigInt(site.merchant_id),
        mode: site.mode,
        tolerance: site.tolerance,
        origins: site.token_origins,
        keys: await Promise.all(rows.map((row) => openKey(row.key_ciphertext, siteId))),
      }
    },
  )
  return async (siteId) => {
    const site = await find(siteId.toString())
    return site && { ...site, clock: await clocks.of(siteId) }
  }
}
