import { isDeepStrictEqual } from 'node:util'
import { refused, type Refusal, type Result } from '../../base/refusal.ts'
import { siteChangedMeanwhile } from './refused-site.ts'
import type { SiteSettingName, SiteSettings } from './site-settings.ts'

/** The result of a change of settings. */
export interface SettingsChange {
  readonly settings: SiteSettings
  /** The settings that get another value, in the order of the site's settings. */
  readonly changed: readonly SiteSettingName[]
}

/** The facts of the site that its settings must agree with. */
export interface SettingPlace {
  readonly catalogue: 'open' | 'strict'
  /** Whether an account that the site uses today takes the default currency. */
  readonly takesCurrency: boolean
  /** Whether the catalogue has the default product, switched on. */
  readonly hasProduct: boolean
}

/** Changes what is named and leaves the rest, where all that the caller saw is still so. */
export function decideSettings(
  siteId: bigint,
  before: SiteSettings,
  changes: Partial<SiteSettings>,
  seen: Partial<SiteSettings>,
): Result<SettingsChange> {
  const names = Object.keys(before) as SiteSettingName[]
  const differs = (name: SiteSettingName, from: Partial<SiteSettings>): boolean =>
    from[name] !== undefined && !isDeepStrictEqual(from[name], before[name])
  if (names.some((name) => differs(name, seen))) return siteChangedMeanwhile(siteId)
  const changed = names.filter((name) => differs(name, changes))
  return { ok: true, settings: { ...before, ...changes }, changed }
}

/** Why changed settings do not go with the rest of the site; null where they do. */
export function decidePlace(
  { changed, settings: { defaultCurrency, defaultProduct } }: SettingsChange,
  { catalogue, takesCurrency, hasProduct }: SettingPlace,
): Refusal | null {
  if (changed.includes('defaultCurrency') && !takesCurrency) {
    return refused(
      'invalid',
      `No merchant account that this site uses today takes ${defaultCurrency}. ` +
        'Choose a currency that one of them takes.',
      { field: 'defaultCurrency' },
    )
  }
  if (changed.includes('defaultProduct') && catalogue === 'strict' && !hasProduct) {
    return refused(
      'invalid',
      `The catalogue is strict and has no product ${defaultProduct} that is switched on. ` +
        'Choose one of its products.',
      { field: 'defaultProduct' },
    )
  }
  return null
}
