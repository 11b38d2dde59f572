import { createHash } from 'node:crypto'
import { codeOf, decimalsOf } from '../issuer/currencies.ts'
import { FEE_NAMES, netOf, sumOf } from './settlement-line.ts'
import type { Fees, LineKind, OriginalAmount } from './settlement-line.ts'
import type { SettlementHead, SettlementLine } from './settlement-line.ts'

/** The sums of a file, in minor units. */
export interface SettlementTotals {
  readonly lines: number
  readonly gross: bigint
  readonly fees: bigint
  readonly net: bigint
  readonly closing: bigint
  /** Over all bytes before the trailer. */
  readonly sha256: string
}

/** Text of an amount with exactly the decimals of its currency (ISO 4217 numeric). */
export function amountText(minor: bigint, currency: string): string {
  const decimals = decimalsOf(currency)
  const sign = minor < 0n ? '-' : ''
  const digits = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, '0')
  if (decimals === 0) return sign + digits
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** The first line of a file, with its line feed. */
export function headText(head: SettlementHead): string {
  return lineOf({
    r: 'H',
    format: 'tollgate-settlement',
    v: 1,
    file_id: head.fileId,
    mode: head.mode,
    sender: head.sender,
    receiver: head.receiver,
    account: head.account,
    currency: codeOf(head.currency),
    seq: head.seq,
    prev_sha256: head.prevSha256,
    business_date: head.businessDate,
    zone: head.zone,
    created: head.created,
    value_date: head.valueDate,
    opening: amountText(head.opening, head.currency),
  })
}

/** The members of line `n`, amounts as text, in the sequence of the format. */
export function lineMembers(line: SettlementLine, n: number, currency: string) {
  const { fees, gross, id, kind, orig, ...texts } = line
  const amount = (minor: bigint) => amountText(minor, currency)
  const members: Record<string, unknown> = { r: 'L', n, id, kind }
  for (const name of TEXTS) {
    const value = name === 'orig' ? originalOf(orig) : texts[name]
    if (value !== undefined) members[name] = value
  }
  members['gross'] = amount(gross)
  if (fees !== undefined) members['fees'] = feesOf(fees, amount)
  members['net'] = amount(netOf(line))
  return members
}

const TEXTS = [
  ...(['order', 'rrn', 'arn', 'batch', 'brand', 'case', 'orig', 'reason', 'corrects'] as const),
  ...(['ref', 'fee_code', 'period', 'payout', 'trace', 'iban_last4', 'arrives'] as const),
  'value_date',
] as const

function originalOf(orig: OriginalAmount | undefined) {
  if (orig === undefined) return undefined
  const { currency, minor, rateMillionths } = orig
  const rate = rateMillionths === undefined ? {} : { rate: rateText(rateMillionths) }
  return { amount: amountText(minor, currency), currency: codeOf(currency), ...rate }
}

/** Without zeros at its end: 920000 millionths are `0.92`. */
function rateText(millionths: bigint): string {
  const digits = millionths.toString().padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '')
}

function feesOf(fees: Fees, amount: (minor: bigint) => string): Record<string, string> {
  const members: Record<string, string> = {}
  for (const name of FEE_NAMES) {
    const fee = fees[name]
    if (fee !== undefined) members[name] = amount(fee)
  }
  return members
}

/**
 * The text of a file, line by line, with the trailer at its end. Returns the totals. It holds one
 * line in memory.
 */
export function* settlementText(
  head: SettlementHead,
  lines: Iterable<SettlementLine>,
): Generator<string, SettlementTotals> {
  const digest = createHash('sha256')
  const kinds = new Map<LineKind, { count: number; net: bigint }>()
  const { currency, opening } = head
  let [n, gross, fees] = [0, 0n, 0n]
  const first = headText(head)
  digest.update(first)
  yield first
  for (const line of lines) {
    n += 1
    gross += line.gross
    fees += sumOf(line.fees ?? {})
    const kind = kinds.get(line.kind) ?? { count: 0, net: 0n }
    kinds.set(line.kind, { count: kind.count + 1, net: kind.net + netOf(line) })
    const text = lineOf(lineMembers(line, n, currency))
    digest.update(text)
    yield text
  }
  const net = gross + fees
  const totals = {
    lines: n,
    gross,
    fees,
    net,
    closing: opening + net,
    sha256: digest.digest('hex'),
  }
  const byKind = [...kinds].map(([kind, { count, net: sum }]) => [
    kind,
    [count, amountText(sum, currency)],
  ])
  yield lineOf({
    r: 'T',
    lines: n,
    by_kind: Object.fromEntries(byKind),
    gross: amountText(gross, currency),
    fees: amountText(fees, currency),
    net: amountText(net, currency),
    closing: amountText(totals.closing, currency),
    sha256: totals.sha256,
  })
  return totals
}

function lineOf(members: object): string {
  return `${JSON.stringify(members)}\n`
}
