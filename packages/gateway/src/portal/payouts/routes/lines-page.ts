import { z } from 'zod'
import type { LinePlace } from '../usecases/payouts.ts'

const PAGE = 100
const FIRST: LinePlace = { fileId: 0n, n: 0 }

/** The place of a line, as `file-number`. */
export const PLACE: z.ZodType<LinePlace, string> = z
  .string()
  .regex(/^[1-9][0-9]{0,17}-[1-9][0-9]{0,8}$/, 'expected the value of next on the page before')
  .transform((text) => {
    const [file = '', n = ''] = text.split('-')
    return { fileId: BigInt(file), n: Number(n) }
  })

/** A page of lines behind a place, and the place that the next page begins behind. */
export async function linesPage<Line extends LinePlace>(
  read: (after: LinePlace, limit: number) => Promise<readonly Line[]>,
  after: LinePlace | undefined,
) {
  const found = await read(after ?? FIRST, PAGE + 1)
  const shown = found.slice(0, PAGE)
  const last = shown.at(-1)
  return {
    lines: shown.map(({ fileId, n, ...line }) => ({ ...line, key: `${fileId}-${n}`, line: n })),
    next: found.length > PAGE && last !== undefined ? `${last.fileId}-${last.n}` : null,
  }
}
