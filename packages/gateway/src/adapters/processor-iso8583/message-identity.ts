import type { MessageIdentity } from '../../usecases/payments/payment-store.ts'

/** STANs run from 1 to 999999 on each terminal, then the next terminal takes over. */
const STANS_PER_TERMINAL = 999_999n

/** DE 11 and DE 41 of a message number: no terminal ever uses a STAN twice. */
export function stanAndTerminal(number: bigint): { stan: string; terminal: string } {
  return {
    stan: ((number % STANS_PER_TERMINAL) + 1n).toString().padStart(6, '0'),
    terminal: `T${(number / STANS_PER_TERMINAL).toString().padStart(7, '0')}`,
  }
}

/** The number behind a DE 11 and a DE 41; null when they are none of ours. */
export function messageNumber(stan: string, terminal: string): bigint | null {
  const [, serial] = /^T(\d{7})$/.exec(terminal.trimEnd()) ?? []
  if (serial === undefined || !/^\d{6}$/.test(stan) || stan === '000000') return null
  return BigInt(serial) * STANS_PER_TERMINAL + BigInt(stan) - 1n
}

/** DE 7: UTC MMDDhhmmss. */
export function transmissionTime(at: Date): string {
  const iso = at.toISOString()
  return (
    iso.slice(5, 7) + iso.slice(8, 10) + iso.slice(11, 13) + iso.slice(14, 16) + iso.slice(17, 19)
  )
}

/** DE 37 of an order: last digit of the year, day of the year, hour, and the STAN. */
export function retrievalReference(order: MessageIdentity): string {
  const { at } = order
  const year = at.getUTCFullYear()
  const day = Math.floor((at.getTime() - Date.UTC(year, 0, 0)) / 86_400_000)
  const hour = at.getUTCHours().toString().padStart(2, '0')
  return `${year % 10}${day.toString().padStart(3, '0')}${hour}${stanAndTerminal(order.number).stan}`
}
