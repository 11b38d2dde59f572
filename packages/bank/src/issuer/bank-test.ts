import { Iso8583Error, decodePrivateData, readBankTest } from '@tollgate/iso8583'
import { testTimeMs } from '@tollgate/iso8583'
import type { BankTestName, IsoMessage } from '@tollgate/iso8583'
import { decimalsOf } from './currencies.ts'

/** The value of each word that a message carries for the test bank. */
export type BankTest = Readonly<Partial<Record<BankTestName, string>>>

/**
 * The test instruction of a message (tag TT); null where it has none. Throws Iso8583Error on an
 * unreadable one: a test that is not understood must not become an ordinary payment.
 */
export function readTest({ fields }: IsoMessage): BankTest | null {
  const { TT: text } = fields[48] === undefined ? {} : decodePrivateData(fields[48])
  if (text === undefined) return null
  const reading = readBankTest(text)
  if (reading.kind === 'read') return Object.fromEntries(reading.words)
  const sentence = 'Tag TT of DE 48 is no test instruction.'
  throw new Iso8583Error('subfield_invalid', sentence, { field: 48 })
}

/** The delay of a test in milliseconds; null where it has none. */
export function delayOf({ delay }: BankTest): number | null {
  return delay === undefined ? null : testTimeMs(delay)
}

/** The funds that a test gives the card, in minor units of the currency; null for none. */
export function balanceOf({ balance }: BankTest, currency: string): bigint | null {
  if (balance === undefined) return null
  const [whole = '', part = ''] = balance.split('.')
  const decimals = decimalsOf(currency)
  return BigInt(whole + part.slice(0, decimals).padEnd(decimals, '0'))
}
