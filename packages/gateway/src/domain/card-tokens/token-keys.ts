import { refused, type Refusal, type Result } from '../../base/refusal.ts'
import { siteChangedMeanwhile } from '../merchants/refused-site.ts'

/** Two keys of a site work at once: the newest, and the one before it. */
export type KeyGeneration = 'current' | 'previous'

/** Whether a site may get a new key, and whether its present one goes on working then. */
export function decideNewKey(
  siteId: bigint,
  keys: readonly KeyGeneration[],
): Result<{ readonly previousWorks: boolean }> {
  if (!keys.includes('previous')) return { ok: true, previousWorks: keys.length > 0 }
  return refused(
    'conflict',
    `Site ${siteId} has two token keys already, the most that work at once. Once nothing signs ` +
      `with the older one any more: "tollgate sites key ${siteId} retire".`,
  )
}

/** Why no key may be taken away; null for nothing. The only key is replaced first. */
export function decideKeyRetirement(
  siteId: bigint,
  keys: readonly KeyGeneration[],
): Refusal | null {
  if (keys.includes('previous')) return null
  return refused(
    'conflict',
    `Site ${siteId} has no older token key to retire. To replace the one it has: ` +
      `"tollgate sites key ${siteId} new", then retire.`,
  )
}

/** Why origins may not be replaced; null for nothing. `seen`: null for a caller who saw none. */
export function decideOrigins(
  siteId: bigint,
  before: readonly string[],
  seen: readonly string[] | null,
): Refusal | null {
  return seen === null || seen.join(' ') === before.join(' ') ? null : siteChangedMeanwhile(siteId)
}
