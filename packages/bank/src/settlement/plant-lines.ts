import { lineId } from '../books/settled-amounts.ts'
import type { Plant } from '../books/settlement-note.ts'
import type { ChainState } from '../books/settlements.ts'
import type { Fees, SettlementLine } from './settlement-line.ts'

export const NO_PLANTS: readonly Plant[] = []

type Place = Pick<ChainState, 'merchant' | 'currency' | 'seq'>
/** The lines that stand in the place of one. */
type Change = (line: SettlementLine, place: Place) => readonly SettlementLine[]

/** The plants that change one line of a kind, with that kind. */
const CHANGES: Readonly<Record<string, readonly [kind: 'sale' | 'refund', Change]>> = {
  other_rrn: ['sale', (line) => [{ ...without(line, 'ref'), rrn: '999999999999' }]],
  cent_less: ['sale', (line) => [{ ...line, gross: line.gross - 1n }]],
  times_100: ['sale', (line) => [{ ...line, gross: line.gross * 100n }]],
  other_currency: ['sale', (line, { currency }) => [inOtherCurrency(line, currency)]],
  doubled: ['sale', (line) => [line, { ...line, id: `${line.id}-P` }]],
  rate_off: ['sale', (line) => [withRateOff(line)]],
  interchange_times_10: ['sale', (line) => [{ ...line, fees: tenfold(line.fees) }]],
  reject_then_settled: ['sale', (line, { currency }) => [rejected(line, currency)]],
  refund_sign: ['refund', (line) => [{ ...line, gross: -line.gross }]],
  old_line_id: [
    'sale',
    (line, place) => [{ ...line, id: lineId(place, place.seq - 1, 1), gross: line.gross + 1n }],
  ],
}

/** The plants that add a line behind all movements. */
const ADDITIONS: Readonly<Record<string, (place: Place) => SettlementLine>> = {
  unknown_sale: (place) => ({
    ...added(place, 'U'),
    kind: 'sale',
    order: '999999/UNKNOWN1/000001/0101000000',
    rrn: '000000000001',
    brand: 'visa',
    gross: 4200n,
    fees: { interchange: -8n },
  }),
  declined_fee: (place) => ({
    ...added(place, 'F'),
    kind: 'fee',
    fee_code: 'authorization',
    order: '999999/DECLINED/000001/0101000000',
    rrn: '000000000002',
    gross: 0n,
    fees: { acquirer: -10n },
  }),
  chargeback_no_case: (place) => ({
    ...added(place, 'C'),
    kind: 'chargeback',
    order: '999999/UNKNOWN2/000001/0101000000',
    rrn: '000000000003',
    case: 'C-UNKNOWN',
    reason: '10.4',
    gross: -1000n,
  }),
}

/** The kinds of plants that `plantLines` makes. */
export const LINE_PLANTS: ReadonlySet<string> = new Set([
  ...Object.keys(CHANGES),
  ...Object.keys(ADDITIONS),
  'summed',
])

/** The lines with the planted differences. Sums and payout are made of the planted lines. */
export function* plantLines(
  lines: Iterable<SettlementLine>,
  plants: readonly Plant[],
  place: Place,
): Generator<SettlementLine> {
  const seen = { sale: 0, refund: 0 }
  let first: SettlementLine | null = null
  for (const line of lines) {
    const { kind } = line
    if (kind !== 'sale' && kind !== 'refund') {
      yield line
      continue
    }
    seen[kind] += 1
    const summed = kind === 'sale' && plants.find((plant) => isSummed(plant, seen.sale))
    if (summed && first === null) {
      first = line
      continue
    }
    let changed: readonly SettlementLine[] = [first === null || !summed ? line : sumOf(first, line)]
    if (summed) first = null
    for (const plant of plants) {
      const [of, change] = CHANGES[plant.kind] ?? []
      if (of !== kind || change === undefined || plant.nth !== seen[kind]) continue
      changed = changed.flatMap((each) => change(each, place))
    }
    yield* changed
  }
  // The file had no second sale to add.
  if (first !== null) yield first
  for (const { kind } of plants) {
    const addition = ADDITIONS[kind]
    if (addition !== undefined) yield addition(place)
  }
}

/** Whether the sale is one of the two that this plant adds up. */
function isSummed({ kind, nth }: Plant, sale: number): boolean {
  return kind === 'summed' && (sale === nth || sale === nth + 1)
}

/** Two captures as one line, under the order of the second. It names the message of neither. */
function sumOf(first: SettlementLine, second: SettlementLine): SettlementLine {
  const names = new Set([...Object.keys(first.fees ?? {}), ...Object.keys(second.fees ?? {})])
  const fees = [...names].map((name) => [name, feeOf(first, name) + feeOf(second, name)])
  const gross = first.gross + second.gross
  return { ...without(second, 'ref'), gross, fees: Object.fromEntries(fees) }
}

function feeOf({ fees = {} }: SettlementLine, name: string): bigint {
  return (fees as Readonly<Record<string, bigint>>)[name] ?? 0n
}

function tenfold({ interchange = 0n, ...others }: Fees = {}): Fees {
  return { interchange: interchange * 10n, ...others }
}

const EURO = '978'
const DOLLAR = '840'

/** The sale as one of another currency that was converted one to one. */
function inOtherCurrency(line: SettlementLine, currency: string): SettlementLine {
  const other = currency === EURO ? DOLLAR : EURO
  return { ...line, orig: { minor: line.gross, currency: other, rateMillionths: 1_000_000n } }
}

/** Three percent less than the right rate, in rate and amount. */
function withRateOff(line: SettlementLine): SettlementLine {
  const { gross, orig } = line
  if (orig?.rateMillionths === undefined) return line
  const rateMillionths = (orig.rateMillionths * 97n) / 100n
  return { ...line, orig: { ...orig, rateMillionths }, gross: (gross * 97n + 50n) / 100n }
}

function rejected({ fees: _fees, ...line }: SettlementLine, currency: string): SettlementLine {
  const orig = line.orig ?? { minor: line.gross, currency }
  return { ...line, kind: 'reject', orig, reason: 'R07', gross: 0n }
}

function added(place: Place, mark: string): { readonly id: string } {
  return { id: lineId(place, place.seq, mark) }
}

function without(line: SettlementLine, name: 'ref'): SettlementLine {
  const { [name]: _left, ...rest } = line
  return rest
}
