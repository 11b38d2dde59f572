import { Iso8583Error } from './iso8583-error.ts'

/** A number of transactions and their sum in minor units. */
export interface Figure {
  readonly count: number
  readonly minor: bigint
}

/** The content of a batch of one brand, in one currency. Voids are not taken off what they void. */
export interface BrandTotals {
  /** Capitals only, at most 16: the value of tag BR. */
  readonly brand: string
  readonly sales: Figure
  readonly refunds: Figure
  readonly voidedSales: Figure
  readonly voidedRefunds: Figure
}

/** The totals of a batch as a 0500 and a 0510 carry them. */
export interface TotalsFields {
  /** DE 74 to 77, 86 to 89 and 97. */
  readonly fields: Readonly<Record<number, string>>
  /** Tag TB of DE 48; null for a batch without transactions. */
  readonly byBrand: string | null
}

type Kind = 'sales' | 'refunds' | 'voidedSales' | 'voidedRefunds'

/** The fields of each kind: a sale is a debit of the cardholder, a refund a credit. */
const FIELDS: Readonly<Record<Kind, readonly [count: number, minor: number]>> = {
  refunds: [74, 86],
  voidedSales: [75, 87],
  sales: [76, 88],
  voidedRefunds: [77, 89],
}
const KINDS: readonly Kind[] = ['sales', 'refunds', 'voidedSales', 'voidedRefunds']
const BRAND = /^[A-Z]{1,16}$/
const MOST_COUNTED = 9_999_999_999
const MOST_MINOR = 9_999_999_999_999_999n

/** Throws Iso8583Error when a brand, a count or an amount does not fit its field. */
export function encodeTotals(brands: readonly BrandTotals[]): TotalsFields {
  const ordered = brands.toSorted((left, right) => (left.brand < right.brand ? -1 : 1))
  const parts = ordered.map((totals) => {
    if (!BRAND.test(totals.brand)) throw fault('A brand in tag TB is not 1 to 16 capitals.')
    const numbers = KINDS.flatMap((kind) => [totals[kind].count, totals[kind].minor])
    return `${totals.brand}:${numbers.join(',')}`
  })
  return { fields: sumFields(ordered), byBrand: parts.length === 0 ? null : parts.join(';') }
}

/**
 * The brands of tag TB. Throws Iso8583Error when the tag cannot be read, or when DE 74 to 97 are
 * not its sums.
 */
export function decodeTotals({ fields, byBrand }: TotalsFields): BrandTotals[] {
  const brands = byBrand === null ? [] : byBrand.split(';').map(readBrand)
  const expected = sumFields(brands)
  for (const [field, text] of Object.entries(expected)) {
    if (fields[Number(field)] !== text) {
      throw new Iso8583Error('subfield_invalid', `DE ${field} is not the sum of tag TB.`, {
        field: Number(field),
      })
    }
  }
  return brands
}

function readBrand(text: string): BrandTotals {
  const match = /^([A-Z]{1,16}):(\d{1,10},\d{1,16}(?:,\d{1,10},\d{1,16}){3})$/.exec(text)
  if (match === null) throw fault('A brand of tag TB is not its name and eight numbers.')
  const [, brand = '', numbers = ''] = match
  const values = numbers.split(',')
  const at = (kind: Kind): Figure => {
    const place = KINDS.indexOf(kind) * 2
    return { count: Number(values[place]), minor: BigInt(values[place + 1] ?? '0') }
  }
  return {
    brand,
    sales: at('sales'),
    refunds: at('refunds'),
    voidedSales: at('voidedSales'),
    voidedRefunds: at('voidedRefunds'),
  }
}

function sumFields(brands: readonly BrandTotals[]): Record<number, string> {
  const fields: Record<number, string> = {}
  const sums = { sales: 0n, refunds: 0n, voidedSales: 0n, voidedRefunds: 0n }
  for (const kind of KINDS) {
    const count = brands.reduce((sum, totals) => sum + totals[kind].count, 0)
    sums[kind] = brands.reduce((sum, totals) => sum + totals[kind].minor, 0n)
    const [countField, minorField] = FIELDS[kind]
    if (count > MOST_COUNTED || sums[kind] > MOST_MINOR) {
      throw fault('The totals of a batch are longer than their fields.')
    }
    fields[countField] = count.toString().padStart(10, '0')
    fields[minorField] = sums[kind].toString().padStart(16, '0')
  }
  const net = sums.refunds + sums.voidedSales - sums.sales - sums.voidedRefunds
  const digits = (net < 0n ? -net : net).toString().padStart(16, '0')
  fields[97] = `${net < 0n ? 'D' : 'C'}${digits}`
  return fields
}

function fault(text: string): Iso8583Error {
  return new Iso8583Error('subfield_invalid', text, { field: 48 })
}
