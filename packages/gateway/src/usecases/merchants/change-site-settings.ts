import type { Result } from '../../base/refusal.ts'
import {
  decidePlace,
  decideSettings,
  type SettingPlace,
} from '../../domain/merchants/settings-change.ts'
import type { SiteSettingName, SiteSettings } from '../../domain/merchants/site-settings.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { Transact } from '../audit/audited-transaction.ts'
import { onLockedSite, type LockedSiteTx } from './locked-site.ts'

/** The locks, reads and writes of one change of a site's settings. */
export interface SiteSettingsTx extends LockedSiteTx {
  readSettings(siteId: bigint): Promise<SiteSettings>
  /**
   * The site's accounts and product for the requested default currency and product. The accounts
   * change no more until the end of the transaction.
   */
  readPlace(
    siteId: bigint,
    defaults: Pick<SiteSettings, 'defaultCurrency' | 'defaultProduct'>,
  ): Promise<SettingPlace>
  /** Writes the named settings, at least one. */
  setSettings(
    siteId: bigint,
    settings: SiteSettings,
    names: readonly SiteSettingName[],
  ): Promise<void>
}

/**
 * Changes the named settings and leaves the rest. If a value differs from what the caller saw,
 * nothing is changed. The audit log has both states.
 */
export type ChangeSiteSettings = (
  siteId: bigint,
  changes: Partial<SiteSettings>,
  seen: Partial<SiteSettings>,
  by: AuditAuthor,
) => Promise<Result<{ readonly settings: SiteSettings }>>

export function createChangeSiteSettings(transact: Transact<SiteSettingsTx>): ChangeSiteSettings {
  return (siteId, changes, seen, by) =>
    onLockedSite(transact, siteId, by, async (tx, entry) => {
      const before = await tx.readSettings(siteId)
      const decided = decideSettings(siteId, before, changes, seen)
      if (!decided.ok) return decided
      const { settings, changed } = decided
      if (changed.length === 0) return { ok: true, settings }
      const refusal = decidePlace(decided, await tx.readPlace(siteId, settings))
      if (refusal !== null) return refusal
      await tx.setSettings(siteId, settings, changed)
      const details = { before: textOf(before, changed), after: textOf(settings, changed) }
      await tx.audit([entry('site.settings_set', details)])
      return { ok: true, settings }
    })
}

function textOf(settings: SiteSettings, names: readonly SiteSettingName[]): string {
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, settings[name]])))
}
