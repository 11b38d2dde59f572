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

/** ISO 4217 alphabetic and numeric codes, without metals, funds and test codes. */
const CODES =
  'AED784 AFN971 ALL008 AMD051 AOA973 ARS032 AUD036 AWG533 AZN944 BAM977 BBD052 BDT050 ' +
  'BHD048 BIF108 BMD060 BND096 BOB068 BRL986 BSD044 BTN064 BWP072 BYN933 BZD084 CAD124 ' +
  'CDF976 CHF756 CLP152 CNY156 COP170 CRC188 CUP192 CVE132 CZK203 DJF262 DKK208 DOP214 ' +
  'DZD012 EGP818 ERN232 ETB230 EUR978 FJD242 FKP238 GBP826 GEL981 GHS936 GIP292 GMD270 ' +
  'GNF324 GTQ320 GYD328 HKD344 HNL340 HTG332 HUF348 IDR360 ILS376 INR356 IQD368 IRR364 ' +
  'ISK352 JMD388 JOD400 JPY392 KES404 KGS417 KHR116 KMF174 KPW408 KRW410 KWD414 KYD136 ' +
  'KZT398 LAK418 LBP422 LKR144 LRD430 LSL426 LYD434 MAD504 MDL498 MGA969 MKD807 MMK104 ' +
  'MNT496 MOP446 MRU929 MUR480 MVR462 MWK454 MXN484 MYR458 MZN943 NAD516 NGN566 NIO558 ' +
  'NOK578 NPR524 NZD554 OMR512 PAB590 PEN604 PGK598 PHP608 PKR586 PLN985 PYG600 QAR634 ' +
  'RON946 RSD941 RUB643 RWF646 SAR682 SBD090 SCR690 SDG938 SEK752 SGD702 SHP654 SLE925 ' +
  'SOS706 SRD968 SSP728 STN930 SVC222 SYP760 SZL748 THB764 TJS972 TMT934 TND788 TOP776 ' +
  'TRY949 TTD780 TWD901 TZS834 UAH980 UGX800 USD840 UYU858 UYW927 UZS860 VED926 VES928 ' +
  'VND704 VUV548 WST882 XAF950 XCD951 XCG532 XOF952 XPF953 YER886 ZAR710 ZMW967 ZWG924'

const CODE_BY_NUMERIC: ReadonlyMap<string, string> = new Map(
  CODES.split(' ').map((entry) => [entry.slice(3), entry.slice(0, 3)]),
)

/** The alphabetic code of a numeric one; the numeric code itself where ISO 4217 has none. */
export function codeOf(currency: string): string {
  return CODE_BY_NUMERIC.get(currency) ?? currency
}
