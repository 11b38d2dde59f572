/** A currency in which a card can be charged. */
export interface Currency {
  /** ISO 4217 alphabetic code, for example 'EUR'. */
  readonly code: string
  /** ISO 4217 numeric code, three digits, for example '978'. */
  readonly numeric: string
  /** Decimals of an amount: 10 to this power minor units make one unit. */
  readonly digits: number
}

/**
 * Alphabetic and numeric codes by number of decimals, from ISO 4217 List One. Amendments up to 180
 * are in (in force since 2026-01-01): without BGN, ANG, CUC and ZWL, with XCG and ZWG. Codes with
 * which no payment is made are left out. They are metals, test codes and reserve units, which have
 * no decimals at all, and funds (BOV, CHE, CHW, CLF, COU, MXV, USN, UYI, XAD).
 */
const CODES_BY_DIGITS: readonly (readonly [digits: number, codes: string])[] = [
  [
    0,
    'BIF108 CLP152 DJF262 GNF324 ISK352 JPY392 KMF174 KRW410 PYG600 RWF646 UGX800 VND704 VUV548 ' +
      'XAF950 XOF952 XPF953',
  ],
  [
    2,
    'AED784 AFN971 ALL008 AMD051 AOA973 ARS032 AUD036 AWG533 AZN944 BAM977 BBD052 BDT050 ' +
      'BMD060 BND096 BOB068 BRL986 BSD044 BTN064 BWP072 BYN933 BZD084 CAD124 CDF976 CHF756 ' +
      'CNY156 COP170 CRC188 CUP192 CVE132 CZK203 DKK208 DOP214 DZD012 EGP818 ERN232 ETB230 ' +
      'EUR978 FJD242 FKP238 GBP826 GEL981 GHS936 GIP292 GMD270 GTQ320 GYD328 HKD344 HNL340 ' +
      'HTG332 HUF348 IDR360 ILS376 INR356 IRR364 JMD388 KES404 KGS417 KHR116 KPW408 KYD136 ' +
      'KZT398 LAK418 LBP422 LKR144 LRD430 LSL426 MAD504 MDL498 MGA969 MKD807 MMK104 MNT496 ' +
      'MOP446 MRU929 MUR480 MVR462 MWK454 MXN484 MYR458 MZN943 NAD516 NGN566 NIO558 NOK578 ' +
      'NPR524 NZD554 PAB590 PEN604 PGK598 PHP608 PKR586 PLN985 QAR634 RON946 RSD941 RUB643 ' +
      'SAR682 SBD090 SCR690 SDG938 SEK752 SGD702 SHP654 SLE925 SOS706 SRD968 SSP728 STN930 ' +
      'SVC222 SYP760 SZL748 THB764 TJS972 TMT934 TOP776 TRY949 TTD780 TWD901 TZS834 UAH980 ' +
      'USD840 UYU858 UZS860 VED926 VES928 WST882 XCD951 XCG532 YER886 ZAR710 ZMW967 ZWG924',
  ],
  [3, 'BHD048 IQD368 JOD400 KWD414 LYD434 OMR512 TND788'],
  [4, 'UYW927'],
]

/** Every currency there is, by table order. */
export const CURRENCIES: readonly Currency[] = CODES_BY_DIGITS.flatMap(([digits, codes]) =>
  codes
    .split(' ')
    .map((entry) => Object.freeze({ code: entry.slice(0, 3), numeric: entry.slice(3), digits })),
)

const BY_CODE = new Map(CURRENCIES.map((currency) => [currency.code, currency]))
const BY_NUMERIC = new Map(CURRENCIES.map((currency) => [currency.numeric, currency]))

/** The currency of an alphabetic code in any case; null when there is none. */
export function findCurrency(alpha: string): Currency | null {
  return BY_CODE.get(alpha) ?? BY_CODE.get(alpha.toUpperCase()) ?? null
}

/** The currency of a three-digit numeric code (DE 49 of a bank message), or null. */
export function currencyByNumeric(numeric: string): Currency | null {
  return BY_NUMERIC.get(numeric) ?? null
}
