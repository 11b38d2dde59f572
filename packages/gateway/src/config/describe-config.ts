import type { DerivedConfig } from './derived-config.ts'
import { SETTING_ROWS, type PlainConfig, type SettingName } from './settings.ts'

/** The configuration in force, by the names an operator sets, secrets masked. */
export function describeConfig(
  config: PlainConfig & DerivedConfig,
): Readonly<Record<SettingName, string>> {
  const plain: Readonly<Record<string, unknown>> = { ...config }
  const shown = SETTING_ROWS.map(([name, row]) => [
    name,
    'shown' in row ? row.shown(config) : String(plain[row.field] ?? '') || (row.none ?? '(none)'),
  ])
  return Object.fromEntries(shown) as Readonly<Record<SettingName, string>>
}
