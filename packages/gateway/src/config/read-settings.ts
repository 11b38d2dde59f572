import { fileSettingOf, findSecret } from './secret-files.ts'
import {
  SETTING_ROWS,
  SETTINGS,
  type PlainConfig,
  type SettingName,
  type SettingValues,
} from './settings.ts'
import { isKeyless, KEY_SETTINGS } from './vault-socket.ts'

export interface ReadSettings {
  readonly values: SettingValues
  /** Names whose value was refused; `values` holds their default, for the checks that go on. */
  readonly faulty: ReadonlySet<SettingName>
  readonly problems: readonly string[]
}

/** Secrets whose value may stand in a file that `NAME_FILE` names. */
const WITH_FILE: ReadonlySet<SettingName> = new Set(
  SETTING_ROWS.filter(
    ([name, { secret }]) => secret === true && !(fileSettingOf(name) in SETTINGS),
  ).map(([name]) => name),
)

/** The names of those files' settings. */
export const SECRET_FILES: readonly string[] = [...WITH_FILE].map(fileSettingOf)

/**
 * Reads each setting by itself. An empty value counts as not set. Secrets may also stand in files.
 */
export function readSettings(env: Readonly<Record<string, string | undefined>>): ReadSettings {
  const problems: string[] = []
  const faulty = new Set<SettingName>()
  const values: Record<string, unknown> = {}
  const mode = env['MODE'] === 'production' ? 'production' : 'sandbox'
  const keyless = isKeyless(env)
  for (const [name, setting] of SETTING_ROWS) {
    const fallback =
      typeof setting.fallback === 'string' ? setting.fallback : setting.fallback[mode]
    if (keyless && KEY_SETTINGS.includes(name)) {
      // Faulty: no check may want it either.
      faulty.add(name)
      values[name] = setting.schema.parse(fallback)
      continue
    }
    const secret = setting.secret === true ? findSecret(env, name, WITH_FILE.has(name)) : null
    if (secret !== null && secret.problem !== null) {
      problems.push(secret.problem)
      faulty.add(name)
      values[name] = setting.schema.parse(fallback)
      continue
    }
    const given = (secret === null ? env[name]?.trim() : secret.value) || fallback
    const parsed = setting.schema.safeParse(given)
    if (!parsed.success) {
      const found =
        setting.secret === true ? 'is not valid (its value is kept secret)' : `is "${given}"`
      problems.push(`${name} ${found}, but must be ${setting.expected}.`)
      faulty.add(name)
    }
    values[name] = parsed.success ? parsed.data : setting.schema.parse(fallback)
  }
  return { values: values as unknown as SettingValues, faulty, problems }
}

/** Each setting that the configuration has as it is, under its name there. */
export function plainConfig(values: SettingValues): PlainConfig {
  const members = SETTING_ROWS.flatMap(([name, row]) =>
    'field' in row ? [[row.field, values[name]] as const] : [],
  )
  return Object.fromEntries(members) as unknown as PlainConfig
}
