import { refused, type Refusal } from '../../base/refusal.ts'
import { idFault, settingFaults, type SiteSettings } from './site-settings.ts'

/** The settings that an operator states for a new site; all others have their defaults. */
export type NewSiteSettings = Pick<SiteSettings, 'name' | 'defaultCurrency' | 'tolerance'>

/**
 * Why a site cannot be created; null where it can. A new site is in test mode and has no account,
 * so its default currency is checked against none.
 */
export function decideNewSite(wanted: {
  readonly id: bigint
  readonly settings: NewSiteSettings
  /** Whether another site has the id. */
  readonly isTaken: boolean
}): Refusal | null {
  const faults = [
    idFault(wanted.id),
    ...settingFaults(wanted.settings).map(({ fault }) => fault),
  ].filter((fault) => fault !== null)
  if (faults.length > 0) return refused('invalid', faults)
  return wanted.isTaken
    ? refused('conflict', `Site ${wanted.id} exists already. Choose another id, or none.`)
    : null
}
