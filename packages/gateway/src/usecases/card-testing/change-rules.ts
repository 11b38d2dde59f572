import type { Result } from '../../base/refusal.ts'
import {
  decideRules,
  decideRulesMode,
  type CardTestingDraft,
  type CardTestingSetting,
  type SeenCardTesting,
  type SiteRules,
} from '../../domain/card-testing/rules-change.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { Transact } from '../audit/audited-transaction.ts'
import { onLockedSite, type LockedSiteTx } from '../merchants/locked-site.ts'

/** The locks, reads and writes of one change of a site's velocity rules. */
export interface CardTestingTx extends LockedSiteTx {
  readRules(siteId: bigint): Promise<SiteRules>
  /** Returns the new revision. */
  writeRules(siteId: bigint, draft: CardTestingDraft): Promise<number>
  setMode(siteId: bigint, mode: CardTestingSetting): Promise<void>
}

export interface ChangeCardTesting {
  /** Replaces the rules. `seen`: the revision the caller saw; null for one who saw none. */
  put(
    siteId: bigint,
    draft: CardTestingDraft,
    seen: number | null,
    by: AuditAuthor,
  ): Promise<Result<{ readonly revision: number }>>
  /** `seen`: the mode and revision that the caller saw; null for a caller who saw none. */
  setMode(
    siteId: bigint,
    mode: CardTestingSetting,
    seen: SeenCardTesting | null,
    by: AuditAuthor,
  ): Promise<Result<{ readonly from: CardTestingSetting }>>
}

/** Decides a change under the lock of the site, and writes the audit entry with it. */
export function createChangeCardTesting(transact: Transact<CardTestingTx>): ChangeCardTesting {
  return {
    put: (siteId, draft, seen, by) =>
      onLockedSite(transact, siteId, by, async (tx, entry) => {
        const before = await tx.readRules(siteId)
        const refusal = decideRules(siteId, before, seen)
        if (refusal !== null) return refusal
        const revision = await tx.writeRules(siteId, draft)
        const details = {
          revision,
          rulesBefore: describe(before),
          rules: describe(draft),
          exceptAddresses: draft.exceptAddresses,
        }
        await tx.audit([entry('card_testing.put', details)])
        return { ok: true, revision }
      }),

    setMode: (siteId, mode, seen, by) =>
      onLockedSite(transact, siteId, by, async (tx, entry) => {
        const before = await tx.readRules(siteId)
        const refusal = decideRulesMode(siteId, before, mode, seen)
        if (refusal !== null) return refusal
        await tx.setMode(siteId, mode)
        await tx.audit([entry('card_testing.mode_set', { from: before.mode, to: mode })])
        return { ok: true, from: before.mode }
      }),
  }
}

function describe({ rules }: CardTestingDraft): string[] {
  return rules.map(
    ({ name, subject, counts, limit, windowSeconds, code }) =>
      `${name}: ${limit} ${counts} of each ${subject} in ${windowSeconds} s, else ${code}`,
  )
}
