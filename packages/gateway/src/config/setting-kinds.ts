import { z } from 'zod'
import type { DerivedConfig } from './derived-config.ts'
import { isAddressOrNetwork, isHost } from './value-forms.ts'

/** The default of a setting, and the form of its values. */
export interface SettingKind<T> {
  /** The value in force when the environment is silent, as an operator would write it. */
  readonly fallback: Fallback
  /** The dependency of the default, for the documentation; the plain fallback when missing. */
  readonly fallbackText?: string
  /** Secrets are never shown, not even in the sentence that refuses them. */
  readonly secret?: boolean
  /** The valid values, to finish the sentence "NAME must be ...". */
  readonly expected: string
  readonly schema: z.ZodType<T, string>
}

/** One value, or one for each MODE. */
export type Fallback = string | { readonly sandbox: string; readonly production: string }

export function text(
  expected: string,
  accepts: (value: string) => boolean,
  fallback = '',
): SettingKind<string> {
  return {
    fallback,
    expected,
    schema: z.string().refine((value) => value === '' || accepts(value)),
  }
}

export function wholeNumber(
  fallback: Fallback,
  low: number,
  high: number,
  unit = '',
): SettingKind<number> {
  const schema = z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number)
    .refine((value) => value >= low && value <= high)
  return { fallback, schema, expected: `a whole number${unit} from ${low} to ${high}` }
}

export function oneOf<const T extends readonly string[]>(
  fallback: T[number] | Record<'sandbox' | 'production', T[number]>,
  values: T,
): SettingKind<T[number]> {
  const schema = z.enum(values) as unknown as z.ZodType<T[number], string>
  return { fallback, schema, expected: `one of ${values.join(', ')}` }
}

export const port = (fallback: string): SettingKind<number> => ({
  ...wholeNumber(fallback, 0, 65_535),
  expected: 'a port number from 1 to 65535, or 0 for any free port',
})

/** An optional port. */
export const portOrNone = {
  ...port(''),
  schema: z.union([z.literal('').transform(() => null), port('').schema]),
}

/** Parts between commas, without empty ones. */
export function listOf(isPart: (part: string) => boolean): z.ZodType<readonly string[], string> {
  return z
    .string()
    .transform((value) =>
      value
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== ''),
    )
    .refine((parts) => parts.every(isPart))
}

export const addresses: SettingKind<readonly string[]> = {
  fallback: '',
  expected: 'a comma-separated list of IP addresses or networks such as 10.0.0.5 or 10.0.0.0/8',
  schema: listOf(isAddressOrNetwork),
}

/** Names of hosts, or `*` for every name. */
export const hostNames: SettingKind<readonly string[]> = {
  fallback: { sandbox: '', production: '*' },
  fallbackText: 'none in the sandbox, `*` in production',
  expected: 'a comma-separated list of host names without ports, or * for every name',
  schema: listOf((part) => part === '*' || isHost(part)),
}

export const host = (fallback: string): SettingKind<string> =>
  text('an IP address or a host name', isHost, fallback)

/** The secret between the bundled bank and its gateways. */
export const bankSecret = {
  ...text('32 to 128 printable characters without spaces', (value) =>
    /^[!-~]{32,128}$/.test(value),
  ),
  fallbackText: '`DATA_DIR`/bank/link-secret',
  secret: true,
  shown: ({ bankSecret: secret }: Pick<DerivedConfig, 'bankSecret'>): string =>
    secret === null ? '(made by the bank)' : '***',
}

/** Whether this node runs the bundled bank, uses that of another node, or has none. */
export const bundledBank = oneOf({ sandbox: 'on', production: 'off' }, ['on', 'shared', 'off'])
