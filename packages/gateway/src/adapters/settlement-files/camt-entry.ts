import type { Currency } from '../../domain/currency.ts'
import type { BankEntry, EntryDetail } from '../../domain/settlement/bank-statement.ts'
import { StatementRefused, type Element } from './camt-xml.ts'

const AMOUNT = /^\d{1,13}(?:\.(\d{1,5}))?$/
const LONGEST_REMITTANCE = 2_000

/** The first child of this name, or null. */
export function child(element: Element, name: string): Element | null {
  return element.children.find((each) => each.name === name) ?? null
}

function all(element: Element, name: string): Element[] {
  return element.children.filter((each) => each.name === name)
}

/** The text at the end of a path of children; null for none or an empty one. */
export function textAt(element: Element, ...path: readonly string[]): string | null {
  let at: Element | null = element
  for (const name of path) at = at === null ? null : child(at, name)
  const text = at?.text.trim() ?? ''
  return text === '' ? null : text
}

/** A balance whose amount is read with the currency of its statement. */
export interface Balance {
  readonly type: string
  readonly currency: string | null
  /** ISO 8601 date; null for none. */
  readonly day: string | null
  readonly minor: (currency: Currency) => bigint
}

/** The balance of an element; null for one of the bank's own types. */
export function balanceOf(element: Element): Balance | null {
  const type = textAt(element, 'Tp', 'CdOrPrtry', 'Cd')
  if (type === null) return null
  return {
    type,
    currency: child(element, 'Amt')?.currency ?? null,
    day: dateOf(element, 'Dt', `balance ${type}`),
    minor: (currency) => signed(element, { id: `balance ${type}`, currency }),
  }
}

interface Place {
  /** For the refusal: the statement, or the part of it. */
  readonly id: string
  readonly currency: Currency
}

/** The entry of an element. Details in another currency keep no amount. @throws StatementRefused */
export function entryOf(element: Element, position: number, statement: Place): BankEntry {
  const place = { ...statement, id: `${statement.id}, entry ${position}` }
  const reversal = textAt(element, 'RvslInd')
  if (reversal !== null && !/^(?:true|false|1|0)$/.test(reversal)) {
    refuse(place, `RvslInd "${reversal.slice(0, 20)}"`, 'true or false')
  }
  const charges = child(element, 'Chrgs')
  const total = charges === null ? null : child(charges, 'TtlChrgsAndTaxAmt')
  const entry: BankEntry = {
    position,
    reference: textAt(element, 'AcctSvcrRef'),
    amountMinor: signed(element, place),
    state: stateOf(element, place),
    isReversal: reversal === 'true' || reversal === '1',
    bookedOn: dateOf(element, 'BookgDt', place.id),
    valueOn: dateOf(element, 'ValDt', place.id),
    code: codeOf(element),
    chargesMinor: total === null ? null : amountIn(total, place.currency, place),
    details: all(element, 'NtryDtls')
      .flatMap((details) => all(details, 'TxDtls'))
      .map((details) => detailOf(details, textAt(element, 'CdtDbtInd'), place)),
    counterparties: all(element, 'NtryDtls')
      .flatMap((details) => all(details, 'TxDtls'))
      .flatMap(namesOf),
  }
  checkBatch(element, entry, place)
  return entry
}

function signed(element: Element, place: Place): bigint {
  const amount = child(element, 'Amt')
  if (amount === null) return refuse(place, 'no Amt', 'an amount')
  if (amount.currency !== place.currency.code) {
    return refuse(place, `the currency ${amount.currency ?? 'none'}`, place.currency.code)
  }
  const minor = minorOf(amount.text.trim(), place)
  const side = textAt(element, 'CdtDbtInd')
  if (side === 'CRDT') return minor
  if (side === 'DBIT') return -minor
  return refuse(place, `CdtDbtInd "${side?.slice(0, 20) ?? ''}"`, 'CRDT or DBIT')
}

function minorOf(text: string, place: Place): bigint {
  const match = AMOUNT.exec(text)
  if (match === null) {
    return refuse(place, `the amount "${text.slice(0, 30)}"`, 'at most 13 digits and 5 decimals')
  }
  const { code, digits } = place.currency
  const [whole = '', fraction = ''] = text.split('.')
  if (/[^0]/.test(fraction.slice(digits))) {
    return refuse(place, `the amount "${text}"`, `at most ${digits} decimals for ${code}`)
  }
  return BigInt(whole + fraction.slice(0, digits).padEnd(digits, '0'))
}

/** The amount of an element in this currency; null for one in another. */
function amountIn(element: Element, currency: Currency, place: Place): bigint | null {
  return element.currency === currency.code ? minorOf(element.text.trim(), place) : null
}

function stateOf(element: Element, place: Place): BankEntry['state'] {
  // Version 02 and 04 have the code itself, later ones a choice of codes.
  const code = textAt(element, 'Sts', 'Cd') ?? textAt(element, 'Sts')
  if (code === 'BOOK') return 'booked'
  if (code === 'PDNG') return 'pending'
  if (code === 'INFO' || code === 'FUTR') return 'information'
  return refuse(place, `the status "${code?.slice(0, 20) ?? ''}"`, 'BOOK, PDNG, INFO or FUTR')
}

/** The names of the parties of a detail: `Nm`, or `Pty/Nm` since version 08. */
function namesOf(details: Element): string[] {
  return ['Dbtr', 'Cdtr']
    .map(
      (role) =>
        textAt(details, 'RltdPties', role, 'Pty', 'Nm') ?? textAt(details, 'RltdPties', role, 'Nm'),
    )
    .filter((name) => name !== null)
}

function dateOf(element: Element, name: string, id: string): string | null {
  const text = textAt(element, name, 'Dt') ?? textAt(element, name, 'DtTm')
  if (text === null) return null
  const day = text.slice(0, 10)
  const at = new Date(`${day}T00:00:00Z`)
  const exists = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day)
  return exists ? day : refuse({ id }, `${name} "${text.slice(0, 30)}"`, 'a date that exists')
}

function codeOf(element: Element): string | null {
  const code = child(element, 'BkTxCd')
  if (code === null) return null
  const domain = [
    textAt(code, 'Domn', 'Cd'),
    textAt(code, 'Domn', 'Fmly', 'Cd'),
    textAt(code, 'Domn', 'Fmly', 'SubFmlyCd'),
  ].filter((part) => part !== null)
  return domain.length === 0 ? textAt(code, 'Prtry', 'Cd') : domain.join('/')
}

function detailOf(element: Element, entrySide: string | null, place: Place): EntryDetail {
  const endToEndId = textAt(element, 'Refs', 'EndToEndId')
  const remittance = child(element, 'RmtInf')
  const lines =
    remittance === null
      ? []
      : [
          ...all(remittance, 'Ustrd').map(({ text }) => text),
          ...all(remittance, 'Strd').map((each) => textAt(each, 'CdtrRefInf', 'Ref') ?? ''),
        ]
  const transaction = child(element, 'AmtDtls')
  const amount =
    child(element, 'Amt') ??
    (transaction === null ? null : child(child(transaction, 'TxAmt') ?? transaction, 'Amt'))
  const minor = amount === null ? null : amountIn(amount, place.currency, place)
  const side = textAt(element, 'CdtDbtInd') ?? entrySide
  return {
    endToEndId: endToEndId === 'NOTPROVIDED' ? null : endToEndId,
    remittance: lines.join('').replaceAll(/\s+/gu, '').slice(0, LONGEST_REMITTANCE),
    amountMinor: minor === null ? null : side === 'DBIT' ? -minor : minor,
  }
}

/** A collective entry whose parts the bank details all must have their sum. */
function checkBatch(element: Element, entry: BankEntry, place: Place): void {
  const amounts = entry.details.map(({ amountMinor }) => amountMinor)
  const stated = all(element, 'NtryDtls').map((details) => textAt(details, 'Btch', 'NbOfTxs'))
  const [count] = stated.filter((text) => text !== null)
  if (count === undefined || Number(count) !== amounts.length) return
  if (amounts.length < 2 || amounts.some((minor) => minor === null)) return
  const sum = amounts.reduce<bigint>((total, minor) => total + (minor ?? 0n), 0n)
  if (sum === entry.amountMinor || entry.chargesMinor !== null) return
  refuse(place, `details of ${sum} minor units`, `${entry.amountMinor}, as the entry`)
}

function refuse(place: Pick<Place, 'id'>, found: string, expected: string): never {
  throw new StatementRefused(
    `Statement ${place.id}: found ${found}; expected ${expected}. Get the statement again.`,
  )
}
