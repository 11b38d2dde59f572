import type { TransactionView } from '../payments/transaction-view.ts'
import type { OpenChallenge } from './authentication-store.ts'
import type { ThreeDsDeps } from './three-ds-deps.ts'

/**
 * A pending payment with the way to its challenge. The JWT points to the stored session, and each
 * one that is signed for it opens the same page.
 */
export async function withChallenge(
  {
    encodeChallenge,
    stepUpUrl,
    tokens,
  }: Pick<ThreeDsDeps, 'encodeChallenge' | 'stepUpUrl' | 'tokens'>,
  transaction: TransactionView,
  challenge: OpenChallenge,
): Promise<TransactionView> {
  if (transaction.threeDs === null) return transaction
  const { acsTransId, acsUrl, procTransId, serverTransId, version, window } = challenge
  const payload = await tokens.sign('step_up', {
    tokenId: challenge.tokenId,
    merchantAccountId: challenge.merchantAccountId,
    reference: challenge.reference,
    returnUrl: challenge.returnUrl,
    payload: {
      ACSUrl: acsUrl,
      Payload: encodeChallenge({ serverTransId, acsTransId, acsUrl, version, window }),
      TransactionId: procTransId,
    },
  })
  return {
    ...transaction,
    threeDs: { ...transaction.threeDs, challenge: { url: stepUpUrl, payload } },
  }
}
