/** The messages for the customer. */
export const OUTCOMES = {
  asking: 'Your payment is being made. Please do not pay again. Check again in a moment.',
  approved: 'Thank you. Your order is on its way.',
  declined: 'The card was declined. Nothing was paid. You can try another card.',
  failed: 'The payment could not be made. Nothing was paid. Please try again in a moment.',
  invalid:
    'Something about the card is not right. Nothing was paid. Please compare it with the card.',
  unfinished: 'Your bank wants a check that this shop cannot show. Nothing was paid.',
  unknown:
    'We do not know yet whether you have paid. Please do not pay again. Check again in a moment.',
}

/** REF_FIELD of refusals that the customer can correct. */
const CARD_FIELDS = ['PMT_NUMB', 'PMT_EXPIRY', 'PMT_KEY', 'TOKEN_GUID']

/** The message for an answer that is neither approved nor running. */
export function outcomeOf({ status, refField }) {
  switch (status) {
    case 'DECLINED':
      return OUTCOMES.declined
    case 'PENDING':
      return OUTCOMES.unfinished
    case '':
      return CARD_FIELDS.includes(refField) ? OUTCOMES.invalid : OUTCOMES.failed
    default:
      return OUTCOMES.failed
  }
}
