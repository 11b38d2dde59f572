import { z } from 'zod'
import type { BrandFigures } from '../../../domain/books/batch-agreement.ts'

const FIGURE = z.tuple([z.number().int(), z.string().regex(/^\d+$/)])
const STORED = z.array(
  z.object({
    brand: z.string(),
    sales: FIGURE,
    refunds: FIGURE,
    voidedSales: FIGURE,
    voidedRefunds: FIGURE,
  }),
)

/** The figures as a JSON column holds them: amounts are text, because JSON has no whole numbers. */
export function writeFigures(brands: readonly BrandFigures[]): string {
  const stored = brands.map(({ brand, sales, refunds, voidedSales, voidedRefunds }) => ({
    brand,
    sales: pair(sales),
    refunds: pair(refunds),
    voidedSales: pair(voidedSales),
    voidedRefunds: pair(voidedRefunds),
  }))
  return JSON.stringify(stored)
}

/** Throws on a value that `writeFigures` did not write. */
export function readFigures(stored: unknown): BrandFigures[] {
  return STORED.parse(stored).map((row) => ({
    brand: row.brand,
    sales: figure(row.sales),
    refunds: figure(row.refunds),
    voidedSales: figure(row.voidedSales),
    voidedRefunds: figure(row.voidedRefunds),
  }))
}

function pair({ count, minor }: BrandFigures['sales']): [number, string] {
  return [count, minor.toString()]
}

function figure([count, minor]: [number, string]): BrandFigures['sales'] {
  return { count, minor: BigInt(minor) }
}
