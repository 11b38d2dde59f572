import { dayIn, isTimeZone, timeIn } from '@tollgate/kernel/time-zone'
import { findCurrency, type Currency } from '../currency.ts'
import type { ForeignRow } from './foreign-row.ts'
import type { AmountRule, DateRule } from './mapping.ts'

const MOST_DIGITS = 15
const CHECK_FILE = 'Correct the mapping, or ask the acquirer for a correct file.'

/** The minor units of a cell with an optional sign; null for an empty cell. @throws RowRefused */
export function readSigned(row: ForeignRow, column: string, currency: Currency): bigint | null {
  const text = row.cell(column)
  if (text === '') return null
  const isNegative = text.startsWith('-')
  const minor = readMinor(
    row,
    column,
    isNegative || text.startsWith('+') ? text.slice(1) : text,
    currency,
  )
  return isNegative ? -minor : minor
}

function readMinor(row: ForeignRow, column: string, text: string, currency: Currency): bigint {
  const { decimal, thousands, amounts } = row.input
  const digits = ungroup(text, thousands, decimal)
  const isMinor = amounts === 'minor_units'
  const form = isMinor ? /^(\d+)$/ : decimal === '.' ? /^(\d+)(?:\.(\d+))?$/ : /^(\d+)(?:,(\d+))?$/
  const match = digits === null ? null : form.exec(digits)
  if (match === null) {
    const example = isMinor ? '1250' : `12${decimal}50`
    return row.refuse(
      column,
      `an amount such as ${example}`,
      `${CHECK_FILE} See "decimal", "thousands" and "amounts" in "input".`,
    )
  }
  const [, whole = '', fraction = ''] = match
  if (isMinor) return toBigInt(row, column, whole)
  const surplus = fraction.slice(currency.digits)
  if (/[^0]/.test(surplus)) {
    return row.refuse(
      column,
      `at most ${currency.digits} decimals for ${currency.code}`,
      'Amounts are never rounded: ask the acquirer for booked amounts.',
    )
  }
  return toBigInt(
    row,
    column,
    whole + fraction.slice(0, currency.digits).padEnd(currency.digits, '0'),
  )
}

/** The text without signs between groups of three digits; null where they stand elsewhere. */
function ungroup(text: string, thousands: string | undefined, decimal: string): string | null {
  if (thousands === undefined || !text.includes(thousands)) return text
  const [whole = '', ...rest] = text.split(decimal)
  const [first = '', ...groups] = whole.split(thousands)
  const isGrouped = /^\d{1,3}$/.test(first) && groups.every((group) => /^\d{3}$/.test(group))
  return isGrouped ? [first + groups.join(''), ...rest].join(decimal) : null
}

function toBigInt(row: ForeignRow, column: string, digits: string): bigint {
  const significant = digits.replace(/^0+(?=\d)/, '')
  if (significant.length <= MOST_DIGITS) return BigInt(significant)
  return row.refuse(column, `at most ${MOST_DIGITS} digits`, CHECK_FILE)
}

/**
 * The amount of a row by its rule, in minor units; plus is money for the merchant. Null where the
 * row has none.
 * @throws RowRefused
 */
export function readAmountBy(row: ForeignRow, rule: AmountRule, currency: Currency): bigint | null {
  if ('debit' in rule) return readTwoColumns(row, rule, currency)
  const amount = readSigned(row, rule.column, currency)
  if (amount === null) return null
  if ('sign' in rule) return rule.sign === 'signed' ? amount : -amount
  if (amount < 0n) row.refuse(rule.column, 'an amount without a sign', CHECK_FILE)
  const { column, debit, credit } = rule.indicator
  const side = row.cell(column)
  if (debit.includes(side)) return -amount
  if (credit.includes(side)) return amount
  return row.refuse(column, [...debit, ...credit].join(' or '), CHECK_FILE)
}

function readTwoColumns(
  row: ForeignRow,
  rule: Extract<AmountRule, { debit: string }>,
  currency: Currency,
): bigint | null {
  const [debit, credit] = [rule.debit, rule.credit].map((column) => {
    const amount = readSigned(row, column, currency)
    if (amount !== null && amount < 0n) row.refuse(column, 'an amount without a sign', CHECK_FILE)
    return amount
  })
  if (debit && credit)
    row.refuse(rule.debit, `nothing, because "${rule.credit}" is filled`, CHECK_FILE)
  if (debit) return -debit
  if (credit) return credit
  const isEmpty = (debit ?? null) === null && (credit ?? null) === null
  if (!isEmpty) return 0n
  if (rule.exactly_one === true)
    row.refuse(rule.debit, `an amount here or in "${rule.credit}"`, CHECK_FILE)
  return null
}

/** The settlement or original currency that a cell names. @throws RowRefused */
export function readCurrency(row: ForeignRow, column: string): Currency {
  const text = row.cell(column)
  const currency = /^[A-Z]{3}$/.test(text) ? findCurrency(text) : null
  return currency ?? row.refuse(column, 'a currency of ISO 4217 such as EUR', CHECK_FILE)
}

/** A date of a row. */
export interface ForeignDate {
  /** In the zone: `2026-11-20`. */
  readonly day: string
  /** The time that clocks in the zone show: `2026-11-20T05:40:00`. */
  readonly wall: string
  /** IANA name. */
  readonly zone: string
}

const PARTS: Readonly<Record<string, string>> = {
  yyyy: String.raw`(?<yyyy>\d{4})`,
  MM: String.raw`(?<MM>\d{2})`,
  dd: String.raw`(?<dd>\d{2})`,
  HH: String.raw`(?<HH>\d{2})`,
  mm: String.raw`(?<mm>\d{2})`,
  ss: String.raw`(?<ss>\d{2})`,
}
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})?)?$/

/** The pattern of a date format. Null where the format does not name a day exactly once. */
export function dateForm(format: string): RegExp | null {
  if (format === 'iso') return ISO
  if (!/^(?:yyyy|MM|dd|HH|mm|ss|[-./: ,T])+$/.test(format)) return null
  const source = format.replaceAll(
    /yyyy|MM|dd|HH|mm|ss|[.]/g,
    (part) => PARTS[part] ?? String.raw`\.`,
  )
  const named = [...source.matchAll(/\?<(\w+)>/g)].map(([, name]) => name)
  const isWhole = ['yyyy', 'MM', 'dd'].every((part) => named.includes(part))
  return isWhole && new Set(named).size === named.length ? new RegExp(`^${source}$`) : null
}

/** The date of a row by its rule; null for an empty cell. @throws RowRefused */
export function readDate(row: ForeignRow, rule: DateRule, form: RegExp): ForeignDate | null {
  const text = row.cell(rule.column)
  if (text === '') return null
  const zone = zoneOf(row, rule)
  const match = form.exec(text)
  const expected =
    rule.format === 'iso' ? 'a date such as 2026-11-19' : `a date of the form ${rule.format}`
  if (match === null) return row.refuse(rule.column, expected, CHECK_FILE)
  if (rule.format !== 'iso') {
    const part = (name: string): string => match.groups?.[name] ?? '00'
    const day = [part('yyyy'), part('MM'), part('dd')].join('-')
    const time = [part('HH'), part('mm'), part('ss')].join(':')
    return existing(row, rule.column, `${day}T${time}`, zone)
  }
  if (!/(?:Z|[+-]\d{2}:\d{2})$/.test(text.slice(10))) {
    const wall = text.length === 10 ? `${text}T00:00:00` : text.replace(' ', 'T').slice(0, 19)
    return existing(row, rule.column, wall, zone)
  }
  existing(row, rule.column, text.replace(' ', 'T').slice(0, 19), zone)
  const at = new Date(text.replace(' ', 'T'))
  if (Number.isNaN(at.getTime())) return row.refuse(rule.column, expected, CHECK_FILE)
  return { day: dayIn(zone, at), wall: timeIn(zone, at).replace(' ', 'T'), zone }
}

function existing(row: ForeignRow, column: string, wall: string, zone: string): ForeignDate {
  const at = new Date(`${wall}Z`)
  const exists = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(wall)
  return exists
    ? { day: wall.slice(0, 10), wall, zone }
    : row.refuse(column, 'a date that exists', CHECK_FILE)
}

function zoneOf(row: ForeignRow, { zone, zone_column: column, zones }: DateRule): string {
  if (zone !== undefined) return zone
  const name = row.cell(column ?? '')
  // Abbreviations such as CST are zones to some programs, and mean several of them.
  const isFull = name === 'UTC' || (name.includes('/') && isTimeZone(name))
  const known = zones?.[name] ?? (isFull ? name : null)
  return known ?? row.refuse(column ?? '', 'a zone of "zones"', 'Add it to "zones" in "date".')
}
