import type { Result } from '../../base/refusal.ts'
import {
  decideKeyRetirement,
  decideNewKey,
  decideOrigins,
  type KeyGeneration,
} from '../../domain/card-tokens/token-keys.ts'
import { noSuchSite } from '../../domain/merchants/refused-site.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { Transact } from '../audit/audited-transaction.ts'
import { onLockedSite, type LockedSiteTx } from '../merchants/locked-site.ts'
import type { TokenKeySummary } from '../merchants/operator.ts'

/** A key as it is stored. */
export interface SealedTokenKey {
  readonly ciphertext: Buffer
  readonly dataKeyId: number
}

/** The locks, reads and writes of one change of a site's token keys and origins. */
export interface TokenKeyTx extends LockedSiteTx {
  readKeys(siteId: bigint): Promise<readonly KeyGeneration[]>
  /** Makes `key` the current one, and the one before it the previous. */
  addKey(siteId: bigint, key: SealedTokenKey): Promise<void>
  removePreviousKey(siteId: bigint): Promise<void>
  readOrigins(siteId: bigint): Promise<readonly string[]>
  setOrigins(siteId: bigint, origins: readonly string[]): Promise<void>
}

export interface TokenKeyStore {
  readonly transact: Transact<TokenKeyTx>
  /** The keys' ages and the origins, never a key; null for no such site. */
  read(siteId: bigint): Promise<TokenKeySummary | null>
}

export interface TokenKeys {
  /** The keys' ages and the origins; never a key. */
  describe(siteId: bigint): Promise<Result<{ readonly summary: TokenKeySummary }>>
  /** The key before the new one goes on working until it is retired. */
  add(
    siteId: bigint,
    key: SealedTokenKey,
    by: AuditAuthor,
  ): Promise<Result<{ readonly previousWorks: boolean }>>
  /** Takes the older of two keys away. */
  retire(siteId: bigint, by: AuditAuthor): Promise<Result>
  /**
   * Sets the origins whose pages may read the token service's answers. `seen`: those the caller
   * takes to be set; null for a caller who saw none.
   */
  setOrigins(
    siteId: bigint,
    origins: readonly string[],
    seen: readonly string[] | null,
    by: AuditAuthor,
  ): Promise<Result>
}

/** A site's token keys. Changes are decided under the site's lock and are on record with it. */
export function createTokenKeys({ transact, read }: TokenKeyStore): TokenKeys {
  return {
    async describe(siteId) {
      const summary = await read(siteId)
      return summary === null ? noSuchSite(siteId) : { ok: true, summary }
    },

    add: (siteId, key, by) =>
      onLockedSite(transact, siteId, by, async (tx, entry) => {
        const decided = decideNewKey(siteId, await tx.readKeys(siteId))
        if (!decided.ok) return decided
        const { previousWorks } = decided
        await tx.addKey(siteId, key)
        await tx.audit([entry('site.token_key_made', { previousWorks })])
        return decided
      }),

    retire: (siteId, by) =>
      onLockedSite(transact, siteId, by, async (tx, entry) => {
        const refusal = decideKeyRetirement(siteId, await tx.readKeys(siteId))
        if (refusal !== null) return refusal
        await tx.removePreviousKey(siteId)
        await tx.audit([entry('site.token_key_retired', {})])
        return { ok: true }
      }),

    setOrigins: (siteId, origins, seen, by) =>
      onLockedSite(transact, siteId, by, async (tx, entry) => {
        const before = await tx.readOrigins(siteId)
        const refusal = decideOrigins(siteId, before, seen)
        if (refusal !== null) return refusal
        await tx.setOrigins(siteId, origins)
        await tx.audit([entry('site.token_origins_set', { from: before, to: origins })])
        return { ok: true }
      }),
  }
}
