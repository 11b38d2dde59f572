import { z } from 'zod'
import { notFound } from './portal-route.ts'

/** None is zero, and all of them fit the database's numbers. */
const DIGITS = /^[1-9][0-9]{0,17}$/

/** An id in a query or a body. */
export const ID: z.ZodType<bigint, string> = z
  .string()
  .regex(DIGITS, 'expected an id, which is a whole number')
  .transform(BigInt)

/** Names an operation of a page, so that it is done once however often it is sent. */
export const KEY: z.ZodType<string, string> = z
  .string()
  .regex(/^[\w-]{16,64}$/, 'expected random text of 16 to 64 letters and digits')
  .refine((key) => !/^[\d_-]+$/.test(key), 'random text needs letters, not only digits')

/** An id in an address; what is none is answered as the id of nothing. */
export function idOf(text: string | undefined, what: string): bigint {
  if (text === undefined || !DIGITS.test(text)) throw notFound(what)
  return BigInt(text)
}
