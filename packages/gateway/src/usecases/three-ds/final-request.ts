import type { AuthenticatedPayment } from '../../domain/three-ds/binding.ts'
import type { RequestedLine } from '../payment-command.ts'
import type { Found } from '../resolve-payment.ts'
import type { StoredAuthentication } from './authentication-store.ts'

type Digest = (text: string) => string

/** Equal for the same line items in the same sequence. */
export function linesDigest(digest: Digest, lines: readonly RequestedLine[]): string {
  const parts = lines.map(({ product, merchantProduct, count, amountMinor }) => [
    product,
    merchantProduct,
    count,
    amountMinor.toString(),
  ])
  return digest(JSON.stringify(parts))
}

/** What the final call is about, to be compared with what was authenticated. */
export function paymentOf(digest: Digest, found: Found): AuthenticatedPayment {
  return {
    amountMinor: found.totalMinor,
    currency: found.currency.code,
    fingerprint: found.fingerprint,
    expiry: found.expiry,
    linesDigest: linesDigest(digest, found.command.lines),
    orderReference: found.command.orderReference,
  }
}

/** Tells a repeat of the final call that decided from one that is about something else. */
export function finalDigest(
  digest: Digest,
  { procTransId, kind }: StoredAuthentication,
  payment: AuthenticatedPayment,
  paRes: string,
): string {
  const { amountMinor, currency, fingerprint, expiry, linesDigest: lines, orderReference } = payment
  const about = [amountMinor.toString(), currency, fingerprint, expiry?.month, expiry?.year, lines, orderReference]
  return digest(JSON.stringify([procTransId, kind, ...about, paRes]))
}
