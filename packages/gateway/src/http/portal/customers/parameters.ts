import { z } from 'zod'
import { notFound } from '../portal-route.ts'

/** An id in an address's query. */
export const id: z.ZodType<bigint> = z
  .string()
  .regex(/^[0-9]{1,18}$/, { error: 'it is no id' })
  .transform(BigInt)

export const flag: z.ZodType<boolean> = z.enum(['yes', 'no']).transform((text) => text === 'yes')

/** An id in the path; what is none belongs to nothing. */
export function idOf(text: string | undefined, what: string): bigint {
  if (text === undefined || !/^[0-9]{1,18}$/.test(text)) throw notFound(what)
  return BigInt(text)
}
