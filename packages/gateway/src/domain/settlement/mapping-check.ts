import { isTimeZone } from '@tollgate/kernel/time-zone'
import { findCurrency } from '../currency.ts'
import { patternFault } from './bounded-pattern.ts'
import { FEE_NAMES, LINE_KINDS, type LineKind } from './file-record.ts'
import { dateForm } from './foreign-value.ts'
import {
  TEXT_FIELDS,
  type AmountRule,
  type DateRule,
  type Mapping,
  type TextRule,
} from './mapping.ts'

/** The contradictions in a mapping of the right form, a sentence each. */
export function mappingFaults(mapping: Mapping): string[] {
  const { input, file, kind, id } = mapping
  const faults: string[] = []
  if (input.type === 'csv' && (input.delimiter === undefined || input.header !== true)) {
    faults.push('input is of CSV; it must have "delimiter" and "header": true.')
  }
  if (input.decimal === input.thousands) {
    faults.push('input.thousands is the same sign as input.decimal; take it out.')
  }
  if ((file.account.column === undefined) !== (file.account.equals === undefined)) {
    faults.push('file.account has one of "column" and "equals"; give both or neither.')
  }
  if (typeof file.currency !== 'string' && !isCurrency(file.currency.is)) {
    faults.push(`file.currency.is is "${file.currency.is}"; it must be a code of ISO 4217.`)
  }
  for (const [value, rule] of Object.entries(kind.map)) {
    const signs = typeof rule === 'string' ? [] : [rule['-'], rule['+']]
    const [minus, plus] = signs
    if (minus !== undefined && !fitsSign(minus, 'minus')) {
      faults.push(`kind.map.${value}.- is ${minus}, which is never below zero.`)
    }
    if (plus !== undefined && !fitsSign(plus, 'plus')) {
      faults.push(`kind.map.${value}.+ is ${plus}, which is never above zero.`)
    }
  }
  if (id.matches !== undefined) faults.push(...patternFaults('id.matches', id.matches))
  faults.push(...dateFaults('date', mapping.date))
  faults.push(...dateFaults('value_date', mapping.value_date))
  faults.push(...dateFaults('arrives', mapping.arrives))
  for (const field of TEXT_FIELDS) faults.push(...textFaults(field, mapping[field]))
  return faults
}

function isCurrency(code: string): boolean {
  return /^[A-Z]{3}$/.test(code) && findCurrency(code) !== null
}

function fitsSign(kind: LineKind, sign: 'plus' | 'minus'): boolean {
  const allowed: string = LINE_KINDS[kind]
  return allowed === sign || allowed === 'any' || allowed === 'not zero'
}

function patternFaults(name: string, pattern: string): string[] {
  const fault = patternFault(pattern)
  return fault === null ? [] : [`${name} ${fault}.`]
}

function dateFaults(name: string, rule: DateRule | undefined): string[] {
  if (rule === undefined) return []
  const faults: string[] = []
  if (dateForm(rule.format) === null) {
    faults.push(
      `${name}.format is "${rule.format}"; it must be "iso", or yyyy, MM and dd with signs ` +
        'between, and HH, mm and ss where needed.',
    )
  }
  if ((rule.zone === undefined) === (rule.zone_column === undefined)) {
    faults.push(`${name} must have one of "zone" and "zone_column".`)
  }
  const zones = [
    ...Object.values(rule.zones ?? {}),
    ...(rule.zone === undefined ? [] : [rule.zone]),
  ]
  for (const zone of zones.filter((each) => !isTimeZone(each))) {
    faults.push(`${name} has the zone "${zone}"; it must be an IANA name such as Europe/Berlin.`)
  }
  return faults
}

function textFaults(name: string, rule: TextRule | undefined): string[] {
  if (typeof rule !== 'object') return []
  const { regex, map, else: other } = rule
  const faults = regex === undefined ? [] : patternFaults(`${name}.regex`, regex)
  if (regex !== undefined && map !== undefined) {
    faults.push(`${name} has "regex" and "map"; give one of them.`)
  }
  if (other !== undefined && map === undefined) {
    faults.push(`${name} has "else" without "map"; take it out.`)
  }
  return faults
}

/** The columns that a mapping reads, each once. A file of CSV must have all of them. */
export function columnsOf(mapping: Mapping): string[] {
  const { file, kind, id, net, gross, orig, fees, checks } = mapping
  const names = [
    file.account.column,
    typeof file.currency === 'string' ? file.currency : undefined,
    'column' in file.seq ? file.seq.column : undefined,
    kind.column,
    id.column,
    ...(id.else_hash ?? []).filter((column) => column !== '#occurrence'),
    ...[net, gross, orig].flatMap(amountColumns),
    orig?.currency,
    orig?.rate,
    ...FEE_NAMES.flatMap((name) => fees?.[name] ?? []),
    ...[mapping.date, mapping.value_date, mapping.arrives].flatMap((rule) => [
      rule?.column,
      rule?.zone_column,
    ]),
    ...TEXT_FIELDS.map((field) => {
      const rule = mapping[field]
      return typeof rule === 'object' ? rule.column : rule
    }),
    checks?.sum_zero_per,
  ]
  return [...new Set(names.filter((name) => name !== undefined))]
}

function amountColumns(rule: AmountRule | undefined): string[] {
  if (rule === undefined) return []
  if ('debit' in rule) return [rule.debit, rule.credit]
  return 'indicator' in rule ? [rule.column, rule.indicator.column] : [rule.column]
}
