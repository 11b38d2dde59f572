/** The messages for the customer. */
export const OUTCOMES = {
  asking: 'Your payment is being made. Please do not pay again. Check again in a moment.',
  challenge: 'Your bank wants to make sure that it is you.',
  approved: 'Thank you. Your order is on its way.',
  declined: 'The card was declined. Nothing was paid. You can try another card.',
  failed: 'The payment could not be made. Nothing was paid. Please try again in a moment.',
  invalid:
    'Something about the card is not right. Nothing was paid. Please compare it with the card.',
  rejected: 'Your bank rejected the payment. Nothing was paid. Please do not try this card again.',
  unconfirmed:
    'Your bank could not confirm that it is you. Nothing was paid. You can try another card.',
  refused: 'Your bank has not confirmed the payment. Nothing was paid. You can try again.',
  cancelled: 'You cancelled the payment. Nothing was paid. You can try again.',
  unfinished: 'The check with your bank was not finished. Nothing was paid. You can try again.',
  unknown:
    'We do not know yet whether you have paid. Please do not pay again. Check again in a moment.',
}

/** REF_FIELD of refusals that the customer can correct. */
const CARD_FIELDS = ['PMT_NUMB', 'PMT_EXPIRY', 'PMT_KEY', 'TOKEN_GUID']

/**
 * The message for an answer that is final. `after`: null, or how the customer left the challenge:
 * `returned`, `closed`.
 */
export function outcomeOf(answer, after) {
  const message = OUTCOMES[nameOf(answer, after)]
  // The networks require that the shop shows it.
  const fromBank = answer.threeDs?.cardholderInfo ?? ''
  return fromBank === '' ? message : `${message} Your bank says: ${fromBank}`
}

function nameOf({ status, refField, threeDs }, after) {
  switch (status) {
    case 'APPROVED':
      return 'approved'
    case 'DECLINED':
      return declineOf(threeDs, after)
    case 'PENDING':
      return 'unfinished'
    case '':
      return CARD_FIELDS.includes(refField) ? 'invalid' : 'failed'
    default:
      return 'failed'
  }
}

function declineOf(threeDs, after) {
  switch (threeDs?.status) {
    case 'R':
      return 'rejected'
    case 'N':
      return after === null ? 'unconfirmed' : 'refused'
    case 'U':
      // Without a challenge, the bank declined an unauthenticated payment.
      return { returned: 'unfinished', closed: 'cancelled' }[after] ?? 'declined'
    default:
      return 'declined'
  }
}
