import { BRAND_PREFIXES } from '../payments/card.ts'

/** A number of transactions and their sum in minor units. */
export interface BatchFigure {
  readonly count: number
  readonly minor: bigint
}

/** The content of a batch of one brand in one currency. A void is not taken off what it voids. */
export interface BrandFigures {
  /** As a message names the brand: `brandOnTheWire`. */
  readonly brand: string
  readonly sales: BatchFigure
  readonly refunds: BatchFigure
  readonly voidedSales: BatchFigure
  readonly voidedRefunds: BatchFigure
}

/** Tag BR of a message: the brand in capitals, without anything else. */
export function brandOnTheWire(brand: string): string {
  const letters = brand.toUpperCase().replaceAll(/[^A-Z]/g, '')
  return letters === '' ? 'OTHER' : letters.slice(0, 16)
}

const BRANDS_BY_TAG = new Map(BRAND_PREFIXES.map(([brand]) => [brandOnTheWire(brand), brand]))

/** The name that merchants see for a tag BR; a tag of no known brand is its own name. */
export function brandOfTag(tag: string): string {
  return BRANDS_BY_TAG.get(tag) ?? tag
}

/** A capture or refund of a batch in one of the two books; amounts in minor units. */
export interface DetailEntry {
  readonly messageNumber: bigint
  readonly kind: 'capture' | 'refund'
  /** Before its voids. */
  readonly amountMinor: bigint
  readonly voidedMinor: bigint
}

/** The gateway's entry, with the transaction behind it. */
export interface OwnEntry extends DetailEntry {
  readonly transactionId: bigint
  readonly orderId: bigint
}

/** An entry about which the books differ; one side is null where it does not have the entry. */
export interface DetailDifference {
  readonly messageNumber: bigint
  readonly kind: 'capture' | 'refund'
  readonly own: OwnEntry | null
  readonly bank: DetailEntry | null
}

/** The entries that are in one of the two books only, or with other amounts, by message number. */
export function compareDetail(
  own: readonly OwnEntry[],
  bank: readonly DetailEntry[],
): DetailDifference[] {
  const banks = new Map(bank.map((entry) => [entry.messageNumber, entry]))
  const differences: DetailDifference[] = []
  for (const entry of own) {
    const other = banks.get(entry.messageNumber) ?? null
    banks.delete(entry.messageNumber)
    if (other !== null && isEqual(entry, other)) continue
    const { messageNumber, kind } = entry
    differences.push({ messageNumber, kind, own: entry, bank: other })
  }
  for (const entry of banks.values()) {
    const { messageNumber, kind } = entry
    differences.push({ messageNumber, kind, own: null, bank: entry })
  }
  return differences.toSorted((left, right) => (left.messageNumber < right.messageNumber ? -1 : 1))
}

function isEqual(left: DetailEntry, right: DetailEntry): boolean {
  return (
    left.kind === right.kind &&
    left.amountMinor === right.amountMinor &&
    left.voidedMinor === right.voidedMinor
  )
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 60_000

/** How long a 0500 without an ending answer waits after so many tries. */
export function waitAfterTry(tries: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** Math.min(tries - 1, 16), LONGEST_WAIT_MS)
}
