import { invariant } from '../../base/invariant.ts'
import { findCurrency, type Currency } from '../currency.ts'
import { formatMinor } from '../money.ts'
import {
  FEE_NAMES,
  FileRefusedError,
  fitsKind,
  type FileLine,
  type FileTrailer,
  type KindSum,
} from './file-record.ts'

/** Kinds that belong to a payment: such a line names it. */
const OF_PAYMENTS: ReadonlySet<string> = new Set([
  'sale',
  'refund',
  'refund_reversal',
  'reject',
  'chargeback',
  'chargeback_again',
  'dispute_reversal',
])

/** Σ of the components of a line's fees, in minor units. */
export function feesOf({ fees }: Pick<FileLine, 'fees'>): bigint {
  let sum = 0n
  for (const name of FEE_NAMES) sum += fees[name]
  return sum
}

/**
 * Checks a line by itself (S07, S08, and S01 for missing keys).
 * @param at the line of the file, from 1 on
 * @throws FileRefusedError
 */
export function checkLine(line: FileLine, at: number, currency: Currency): void {
  const { gross, kind, net, orig } = line
  const fees = feesOf(line)
  const show = (minor: bigint): string => formatMinor(minor, currency)
  if (net !== gross + fees) {
    const parts = `gross ${show(gross)} and fees ${show(fees)} make ${show(gross + fees)}`
    const reason = `net is ${show(net)}; ${parts}.`
    throw new FileRefusedError('S07', at, reason)
  }
  if (!fitsKind(kind, gross, net)) {
    const reason = `gross ${show(gross)} and net ${show(net)} do not fit the kind ${kind}.`
    throw new FileRefusedError('S08', at, reason)
  }
  const hasKey = line.order !== null || line.rrn !== null || line.arn !== null
  if (OF_PAYMENTS.has(kind) && !hasKey) {
    throw new FileRefusedError('S01', at, `A ${kind} has none of order, rrn and arn.`)
  }
  if (kind === 'reject' && orig === null) {
    throw new FileRefusedError('S01', at, 'A reject has no orig, the amount that is rejected.')
  }
  if (orig === null || orig.rate === null || kind === 'reject') return
  const converted = convert(orig.minor, orig.currency, orig.rate, currency)
  const distance = (gross < 0n ? -gross : gross) - (converted < 0n ? -converted : converted)
  if (distance >= -1n && distance <= 1n) return
  const reason = `gross is ${show(gross)}; orig at the rate ${orig.rate} is ${show(converted)}.`
  throw new FileRefusedError('S07', at, reason)
}

/** Minor units of another currency, half away from zero. */
function convert(minor: bigint, from: string, rate: string, to: Currency): bigint {
  const source = findCurrency(from)
  invariant(source !== null, 'a currency of a checked line is unknown')
  const [whole = '0', fraction = ''] = rate.split('.')
  const numerator = minor * BigInt(whole + fraction) * 10n ** BigInt(to.digits)
  const denominator = 10n ** BigInt(fraction.length + source.digits)
  const half = numerator < 0n ? -denominator / 2n : denominator / 2n
  return (numerator + half) / denominator
}

/** The sums of the lines of a file, compared with its trailer (S03, S04, S05, S06). */
export class FileSums {
  #lines = 0
  #gross = 0n
  #fees = 0n
  #net = 0n
  readonly #byKind = new Map<string, { count: number; net: bigint }>()
  readonly #currency: Currency
  readonly #opening: bigint

  constructor(currency: Currency, openingMinor: bigint) {
    this.#currency = currency
    this.#opening = openingMinor
  }

  /** @throws FileRefusedError S03 */
  add(line: FileLine, at: number): void {
    this.#lines += 1
    if (line.n !== this.#lines) {
      throw new FileRefusedError('S03', at, `n is ${line.n}; expected ${this.#lines}.`)
    }
    this.#gross += line.gross
    this.#fees += feesOf(line)
    this.#net += line.net
    const sum = this.#byKind.get(line.kind)
    if (sum === undefined) {
      this.#byKind.set(line.kind, { count: 1, net: line.net })
    } else {
      sum.count += 1
      sum.net += line.net
    }
  }

  /**
   * @param sha256 of the bytes before the trailer
   * @throws FileRefusedError
   */
  compare(trailer: FileTrailer, sha256: string, at: number): void {
    if (trailer.lines !== this.#lines) {
      const reason = `The trailer counts ${trailer.lines} lines; the file has ${this.#lines}.`
      throw new FileRefusedError('S04', at, reason)
    }
    for (const kind of new Set([...trailer.byKind.keys(), ...this.#byKind.keys()])) {
      this.#compareKind(kind, trailer.byKind.get(kind), at)
    }
    this.#compareSum('gross', trailer.gross, this.#gross, at)
    this.#compareSum('fees', trailer.fees, this.#fees, at)
    this.#compareSum('net', trailer.net, this.#net, at)
    this.#compareSum('closing', trailer.closing, this.#opening + this.#net, at)
    if (trailer.sha256 !== sha256) {
      const reason = `sha256 is ${trailer.sha256}; the bytes before the trailer have ${sha256}.`
      throw new FileRefusedError('S06', at, reason)
    }
  }

  #compareKind(kind: string, stated: KindSum | undefined, at: number): void {
    const found = this.#byKind.get(kind) ?? { count: 0, net: 0n }
    const count = stated?.count ?? 0
    if (count !== found.count) {
      const reason = `The trailer counts ${count} of ${kind}; the file has ${found.count}.`
      throw new FileRefusedError('S04', at, reason)
    }
    this.#compareSum(`by_kind ${kind}`, stated?.net ?? 0n, found.net, at)
  }

  #compareSum(name: string, stated: bigint, found: bigint, at: number): void {
    if (stated === found) return
    const show = (minor: bigint): string => formatMinor(minor, this.#currency)
    const reason = `${name} is ${show(stated)} in the trailer; the lines make ${show(found)}.`
    throw new FileRefusedError('S05', at, reason)
  }
}
