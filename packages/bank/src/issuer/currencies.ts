/** ISO 4217 numeric codes whose minor unit is not a hundredth; all others have 2 decimals. */
const OTHER_DECIMALS: ReadonlyMap<string, number> = new Map([
  ...['108', '152', '174', '262', '324', '352', '392', '410', '548', '600', '646', '704', '800']
    .concat(['940', '950', '952', '953'])
    .map((code) => [code, 0] as const),
  ...['048', '368', '400', '414', '434', '512', '788'].map((code) => [code, 3] as const),
  ...['927', '990'].map((code) => [code, 4] as const),
])

/** How many decimals the minor unit of a currency has, by its ISO 4217 numeric code. */
export function decimalsOf(currency: string): number {
  return OTHER_DECIMALS.get(currency) ?? 2
}

/** Whole major units as minor units of the currency: 30 is 3000 in US dollars and 30 in yen. */
export function majorToMinor(major: bigint, currency: string): bigint {
  return major * 10n ** BigInt(decimalsOf(currency))
}
