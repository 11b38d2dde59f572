import type { Result } from '../../base/refusal.ts'
import { noSuchSite } from '../../domain/merchants/refused-site.ts'
import {
  decideModeChange,
  type ModeChange,
  type SiteAccount,
} from '../../domain/merchants/site-mode.ts'
import type { AuditAuthor, AuditEntry } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'
import type { Mode } from './merchant-directory.ts'

/** The locks, reads and writes of one change of a site's mode. */
export interface SiteModeTx {
  /** Holds the site until the commit; null for no such site. */
  lockSite(siteId: bigint): Promise<{ readonly mode: Mode; readonly merchantId: bigint } | null>
  readSiteAccounts(siteId: bigint): Promise<readonly SiteAccount[]>
  setSiteMode(siteId: bigint, mode: Mode): Promise<void>
}

/** The result of a change of mode, with its audit entry; null if there is no such site. */
export interface SiteMove {
  readonly result: Result<{ readonly change: ModeChange }>
  readonly entry: AuditEntry | null
}

/** Moves a site to the other mode within the caller's transaction. The caller writes the entry. */
export async function moveSite(
  tx: SiteModeTx,
  siteId: bigint,
  mode: Mode,
  by: AuditAuthor,
): Promise<SiteMove> {
  const site = await tx.lockSite(siteId)
  if (site === null) return { result: noSuchSite(siteId), entry: null }
  const result = decideModeChange(siteId, site.mode, mode, await tx.readSiteAccounts(siteId))
  const { merchantId } = site
  const entry = { ...by, operation: 'site.mode_set', object: `site ${siteId}`, merchantId } as const
  if (!result.ok) {
    return { result, entry: { ...entry, result: 'refused', details: { faults: result.faults } } }
  }
  await tx.setSiteMode(siteId, mode)
  const routes = result.change.routes.map(
    ({ currency, from, to }) => `${currency}: ${from} -> ${to}`,
  )
  const details = { before: site.mode, after: mode, routes }
  return { result, entry: { ...entry, result: 'done', details } }
}

/** An operator moves a site alone. A refusal is on record where there is such a site. */
export function createSetSiteMode(
  transact: Transact<SiteModeTx & AuditedTx>,
): (siteId: bigint, mode: Mode, by: AuditAuthor) => Promise<SiteMove['result']> {
  return (siteId, mode, by) =>
    transact(async (tx) => {
      const { result, entry } = await moveSite(tx, siteId, mode, by)
      if (entry !== null) await tx.audit([entry])
      return result
    })
}
