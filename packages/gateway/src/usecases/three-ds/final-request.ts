import type { AuthenticatedPayment } from '../../domain/three-ds/binding.ts'
import type { PaymentCommand, RequestedLine } from '../payments/payment-command.ts'
import type { PaymentField } from '../payments/payment-field.ts'
import { isKnownAs, type Found } from '../payments/resolve-payment.ts'
import type { StoredAuthentication } from './authentication-store.ts'
import type { ThreeDsTokens } from './three-ds-tokens.ts'

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

/** The payment of the final call, to be compared with what was authenticated. */
export function paymentOf(digest: Digest, found: Found): AuthenticatedPayment {
  return {
    amountMinor: found.command.totalMinor,
    currency: found.currency.code,
    fingerprint: found.fingerprint,
    expiry: found.expiry,
    linesDigest: linesDigest(digest, found.command.lines),
    orderReference: found.command.orderReference,
  }
}

/** Separates a repeat of the final call that decided from one about something else. */
export function finalDigest(
  digest: Digest,
  { procTransId, kind }: StoredAuthentication,
  payment: AuthenticatedPayment,
  paRes: string,
): string {
  const { amountMinor, currency, fingerprint, expiry, linesDigest: lines, orderReference } = payment
  const about = [
    amountMinor.toString(),
    currency,
    fingerprint,
    expiry?.month,
    expiry?.year,
    lines,
    orderReference,
  ]
  return digest(JSON.stringify([procTransId, kind, ...about, paRes]))
}

/** Another merchant's or user's is answered like one that does not exist. */
export function belongsTo(
  { site, userId }: PaymentCommand,
  authentication: StoredAuthentication,
): boolean {
  return (
    authentication.challenged &&
    authentication.merchantId === site.merchantId &&
    authentication.mode === site.mode &&
    authentication.userId === userId
  )
}

/** The field that names another place than the first call did; null: none does. */
export function differentPlace(
  { kind, site, merchantAccountId }: PaymentCommand,
  authentication: StoredAuthentication,
): PaymentField | null {
  if (kind !== authentication.kind) return 'action'
  if (site.id !== authentication.siteId) return 'site'
  const account = site.merchantAccounts.find(({ id }) => id === authentication.merchantAccountId)
  if (account === undefined) return 'merchant_account'
  return merchantAccountId === null || isKnownAs(account, merchantAccountId)
    ? null
    : 'merchant_account'
}

/** Null when the text is empty, or our own signed word that this very challenge is over. */
export async function wrongResponse(
  tokens: ThreeDsTokens,
  paRes: string,
  { procTransId, merchantAccountId }: StoredAuthentication,
): Promise<string | null> {
  if (paRes === '') return null
  const claims = await tokens.verify('response', paRes)
  const isOurs =
    claims !== null &&
    claims.merchantAccountId === merchantAccountId &&
    claims.payload['TransactionId'] === procTransId
  return isOurs ? null : 'response'
}
