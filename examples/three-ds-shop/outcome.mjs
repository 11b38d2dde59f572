/** The messages for the customer. `kind` is for the shop's books and its tests. */
export const OUTCOMES = {
  approved: {
    kind: 'approved',
    title: 'Thank you. Your order is paid.',
    text: 'The teapot is on its way.',
  },
  declined: {
    kind: 'declined',
    title: 'The card was declined.',
    text: 'Nothing was paid. Your bank can tell you why; you can also pay with another card.',
  },
  rejected: {
    kind: 'declined',
    title: 'Your bank rejected the payment.',
    text: 'Nothing was paid. Please do not try this card again; pay with another one, or ask your bank.',
  },
  unconfirmed: {
    kind: 'declined',
    title: 'Your bank could not confirm that it is you.',
    text: 'Nothing was paid. Please try another card, or ask your bank.',
  },
  refused: {
    kind: 'declined',
    title: 'Your bank has not confirmed the payment.',
    text: 'It was cancelled, a code was wrong, or it took too long. Nothing was paid. You can try again.',
  },
  cancelled: {
    kind: 'cancelled',
    title: 'You cancelled the payment.',
    text: 'Nothing was paid. You can try again, with this card or another one.',
  },
  unfinished: {
    kind: 'not finished',
    title: 'The check with your bank was not finished.',
    text: 'Nothing was paid. You can try again, with this card or another one.',
  },
  failed: {
    kind: 'failed',
    title: 'The payment could not be made.',
    text: 'Nothing was paid. Please try again in a moment.',
  },
  invalid: {
    kind: 'declined',
    title: 'Something about the card is not right.',
    text: 'Nothing was paid. Please compare what you entered with the card.',
  },
  unknown: {
    kind: 'unknown',
    title: 'We do not know yet whether you have paid.',
    text: 'Please do not pay again. Look again in a moment.',
  },
}

/**
 * The outcome of an answer of the gateway. `after`: null, or how the customer left the challenge:
 * `returned`, `closed`.
 */
export function outcomeOf(answer, after) {
  return { ...OUTCOMES[nameOf(answer, after)], fromBank: answer.threeDs?.cardholderInfo ?? '' }
}

/** REF_FIELD of refusals that the customer can correct. */
const CARD_FIELDS = ['PMT_NUMB', 'PMT_EXPIRY', 'PMT_KEY']

function nameOf({ refField, status, threeDs }, after) {
  if (status === 'APPROVED') return 'approved'
  if (status === 'FAILED') return 'failed'
  if (status === 'PENDING') return 'unfinished'
  if (status === '') return CARD_FIELDS.includes(refField) ? 'invalid' : 'failed'
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
