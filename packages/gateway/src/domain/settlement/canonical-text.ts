import { invariant } from '../../base/invariant.ts'
import { findCurrency, type Currency } from '../currency.ts'
import { formatMinor } from '../money.ts'
import {
  FEE_NAMES,
  type FileHeader,
  type FileLine,
  type FileTrailer,
  type LineFees,
} from './file-record.ts'

/** The header as a line of a `tollgate-settlement` file, with its line end. */
export function headerText(header: FileHeader, currency: Currency): string {
  return text({
    r: 'H',
    format: 'tollgate-settlement',
    v: 1,
    file_id: header.fileId,
    mode: header.mode,
    sender: header.sender,
    receiver: header.receiver,
    account: header.account,
    currency: header.currency,
    seq: Number(header.seq),
    prev_sha256: header.prevSha256,
    business_date: header.businessDate,
    zone: header.zone,
    created: header.created,
    value_date: header.valueDate,
    opening: formatMinor(header.openingMinor, currency),
  })
}

/** A line as text, with its line end. Without the value date where it is the file's or none. */
export function lineText(line: FileLine, currency: Currency, valueDate: string): string {
  const amount = (minor: bigint): string => formatMinor(minor, currency)
  return text({
    r: 'L',
    n: line.n,
    id: line.id,
    kind: line.kind,
    order: line.order,
    rrn: line.rrn,
    arn: line.arn,
    batch: line.batch,
    brand: line.brand,
    case: line.case,
    reason: line.reason,
    fee_code: line.feeCode,
    period: line.period,
    ref: line.ref,
    corrects: line.corrects,
    payout: line.payout,
    trace: line.trace,
    iban_last4: line.ibanLast4,
    arrives: line.arrives,
    value_date: line.valueDate === valueDate || line.valueDate === '' ? null : line.valueDate,
    orig: origOf(line.orig),
    gross: amount(line.gross),
    fees: feesOf(line.fees, amount),
    net: amount(line.net),
  })
}

/** The trailer as text, with its line end. */
export function trailerText(trailer: FileTrailer, currency: Currency): string {
  const amount = (minor: bigint): string => formatMinor(minor, currency)
  return text({
    r: 'T',
    lines: trailer.lines,
    by_kind: Object.fromEntries(
      [...trailer.byKind].map(([kind, { count, net }]) => [kind, [count, amount(net)]]),
    ),
    gross: amount(trailer.gross),
    fees: amount(trailer.fees),
    net: amount(trailer.net),
    closing: amount(trailer.closing),
    sha256: trailer.sha256,
  })
}

function origOf(orig: FileLine['orig']): object | null {
  if (orig === null) return null
  const { minor, currency: code, rate } = orig
  const currency = findCurrency(code)
  invariant(currency !== null, 'An original amount has no currency of ISO 4217.')
  const amount = formatMinor(minor, currency)
  return { amount, currency: code, ...(rate === null ? {} : { rate }) }
}

function feesOf(fees: LineFees, amount: (minor: bigint) => string): object | null {
  const given = FEE_NAMES.filter((name) => fees[name] !== 0n)
  return given.length === 0
    ? null
    : Object.fromEntries(given.map((name) => [name, amount(fees[name])]))
}

function text(record: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(record).filter(([, value]) => value !== null)
  return `${JSON.stringify(Object.fromEntries(given))}\n`
}
