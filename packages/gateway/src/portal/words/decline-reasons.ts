import {
  declineCategory,
  merchantAdviceOf,
  retryNetworkOf,
} from '../../domain/memberships/network-rules.ts'
import type { CardBrand } from '../../domain/payments/card.ts'
import type { ServiceCode } from '../../domain/payments/service-codes.ts'

/**
 * Whether the same card may be charged again. `never`: the networks forbid it, or a retry cannot
 * help. `other_data`: with corrected data. `later`: unchanged, after a while. `authenticate`: with
 * 3-D Secure. `not_needed`: there is nothing to retry. `set_up`: only after the merchant or the
 * operator has changed the setup.
 */
export type RetryAdvice =
  | 'never'
  | 'other_data'
  | 'later'
  | 'authenticate'
  | 'not_needed'
  | 'set_up'

/** The meaning of a code. */
export interface CodeMeaning {
  /** The cause, for the merchant's staff. */
  readonly reason: string
  /** The next step. */
  readonly advice: string
  readonly retry: RetryAdvice
  /** The text for the customer; it must not help anyone who tries stolen cards. */
  readonly customerMessage: string
}

const CUSTOMER_MESSAGE = {
  bank: 'Your bank declined the payment. Please use another card, or ask your bank.',
  details: 'Please check the card details and try again.',
  later: 'The payment could not be completed right now. Please try again in a few minutes.',
  authenticate:
    'Your bank asks you to confirm this payment. Please try again and follow its steps.',
  shop: 'The payment could not be completed. Please contact us.',
  nothing: '',
} as const

type CustomerMessage = keyof typeof CUSTOMER_MESSAGE
type Row = readonly [
  reason: string,
  advice: string,
  retry: RetryAdvice,
  customerMessage: CustomerMessage,
]

const REQUIRED = (what: string): Row => [
  `The processor requires ${what}.`,
  `Ask for ${what} and send it with the payment.`,
  'other_data',
  'details',
]

type Words = (reason: string, advice: string) => Row

function row(retry: RetryAdvice, customerMessage: CustomerMessage): Words {
  return (reason, advice) => [reason, advice, retry, customerMessage]
}

const NOTHING_TO_DO = row('not_needed', 'nothing')
const ASK_SHOP = row('not_needed', 'shop')
const SET_UP = row('set_up', 'shop')
const OTHER_REQUEST = row('other_data', 'shop')
const CARD_DETAILS = row('other_data', 'details')
const OTHER_CARD = row('other_data', 'bank')
const LATER = row('later', 'later')
const BANK_LATER = row('later', 'bank')
const NEVER = row('never', 'bank')

const SERVICE: Readonly<Record<ServiceCode, Row>> = {
  0: OTHER_REQUEST(
    'The request was refused before a bank was asked.',
    'Check the API code and the field it names.',
  ),
  100: NOTHING_TO_DO('The payment was approved.', 'No action needed.'),
  101: NOTHING_TO_DO('The gateway accepts requests.', 'No action needed.'),
  102: NOTHING_TO_DO('The membership was changed.', 'No action needed.'),
  150: SET_UP(
    "The product is not in the site's strict catalogue.",
    'Add the product, or send a product of the catalogue.',
  ),
  152: SET_UP("The product's type does not exist.", "Correct the product's type."),
  155: SET_UP(
    'No merchant account of the site supports this currency.',
    'Choose another currency, or ask the operator to add this one to an account.',
  ),
  157: SET_UP(
    'The gateway has no rules of rapid resolution.',
    'Agree on such rules with the acquirer; its notices state the result.',
  ),
  190: SET_UP("The membership's product is incomplete.", 'Check its price and currency.'),
  192: SET_UP('The product is inactive.', 'Activate it, or sell another product.'),
  200: REQUIRED('the security code'),
  201: REQUIRED('the country'),
  202: REQUIRED('the date of birth'),
  203: REQUIRED('the social security number'),
  204: REQUIRED('the address'),
  205: REQUIRED('the city'),
  206: REQUIRED('the state'),
  207: REQUIRED('the postal code'),
  208: REQUIRED('the phone number'),
  209: REQUIRED("the customer's IP address"),
  210: REQUIRED('the Brazilian tax number'),
  211: REQUIRED('the e-mail address'),
  212: REQUIRED('the first name'),
  213: REQUIRED('the last name'),
  215: LATER(
    'Too many payments in a period: for this card, this customer, the site or the account.',
    'Wait. If this was not an attack, check the velocity rules, or ask the operator.',
  ),
  216: OTHER_CARD(
    'The issuer does not accept this amount.',
    'Try another amount, or another card.',
  ),
  217: CARD_DETAILS(
    'No bank issues cards with this number.',
    'Ask for the card number again, or for another card.',
  ),
  218: OTHER_CARD('The PIN was wrong, or the PIN attempts are used up.', 'Ask for another card.'),
  219: NEVER(
    'The cardholder stopped this recurring payment at the issuer.',
    'Do not charge it again. Cancel the membership and contact the customer.',
  ),
  220: NEVER(
    'The cardholder stopped all your recurring payments at the issuer.',
    'Do not charge this card for recurring payments again. Contact the customer.',
  ),
  221: LATER("The issuer's system had an error.", 'Try again later.'),
  500: SET_UP(
    'No merchant account of the site matches the request.',
    'Send an account of the site, or none.',
  ),
  501: OTHER_REQUEST('This customer does not exist.', 'Search for the customer again.'),
  502: LATER(
    "The bank's decision is unknown, so the payment failed. Any hold is being reversed.",
    'You can try again now. The customer may see the held amount for a while.',
  ),
  503: LATER(
    'The gateway could not accept requests.',
    'Nothing was accepted. Try again in a moment.',
  ),
  505: NOTHING_TO_DO(
    'Nothing is left of the order: it is voided or its authorization expired.',
    'Use a new order to charge the customer.',
  ),
  506: NOTHING_TO_DO(
    'The capture is higher than the amount left.',
    'Capture at most the amount left.',
  ),
  507: NOTHING_TO_DO(
    'The authorized amount is fully captured.',
    'There is nothing left to capture.',
  ),
  510: NOTHING_TO_DO('The whole order is voided.', 'Use a new order to charge the customer.'),
  511: NOTHING_TO_DO('The payment was charged back.', 'Respond to the chargeback instead.'),
  512: NOTHING_TO_DO('This order does not exist.', 'Check the order number and its site.'),
  515: NOTHING_TO_DO('The captured amount is fully refunded.', 'There is nothing left to refund.'),
  516: NOTHING_TO_DO(
    'The refund is higher than the amount left.',
    'Refund at most the amount left.',
  ),
  518: OTHER_REQUEST(
    'The processor requires another field.',
    "Check the processor's text for the field and send it.",
  ),
  519: SET_UP('A trial needs its own statement descriptor.', 'Set the descriptor of the trial.'),
  520: SET_UP(
    'The processor does not support this currency.',
    'Choose another currency, or ask the operator to add this one to an account.',
  ),
  522: OTHER_CARD(
    'The merchant account does not support this card brand.',
    'Ask for another card.',
  ),
  525: NOTHING_TO_DO('The batch is closed, so the capture cannot be voided.', 'Refund instead.'),
  530: LATER('The bank or the link to it was down. Nothing is held.', 'Try again in a moment.'),
  536: NOTHING_TO_DO(
    'Nothing is captured, so there is nothing to refund.',
    'Void the authorization instead.',
  ),
  540: BANK_LATER(
    'The amount is above a limit of the card or of the merchant account.',
    'Ask for another card, or try a smaller amount.',
  ),
  555: BANK_LATER(
    'The issuer requires a call before it decides.',
    'Ask the cardholder to call the issuer, or ask for another card.',
  ),
  560: SET_UP(
    'The processor does not support this type of payment.',
    'Ask the processor what the account supports.',
  ),
  564: SET_UP(
    'The processor does not recognize the merchant account or its terminal.',
    'Ask the operator to check the merchant account.',
  ),
  565: NOTHING_TO_DO(
    'The amount is zero or too high.',
    'Enter an amount above zero, at most the amount left.',
  ),
  570: OTHER_CARD(
    'The issuer does not allow this card for this type of purchase.',
    'Ask for another card.',
  ),
  580: ASK_SHOP(
    'The order, the card or the bank does not support this request.',
    'Check the state of the order.',
  ),
  600: BANK_LATER(
    'The issuer declined without a reason.',
    'The cardholder can ask the issuer. Another card may work.',
  ),
  601: OTHER_CARD(
    'A fraud rule, or a limit of the merchant account, declined the payment.',
    'Review the payment before you allow another attempt.',
  ),
  603: NEVER(
    'The issuer or a rule suspects fraud.',
    'Do not ship. Ask for another card only if you know the customer.',
  ),
  605: NEVER(
    'The card was reported stolen.',
    'Do not charge it again. Do not give the customer the reason.',
  ),
  610: NEVER(
    'The issuer wants the card to be retained.',
    'Do not charge it again. Do not give the customer the reason.',
  ),
  615: NEVER(
    'The card was reported lost.',
    'Do not charge it again. Do not give the customer the reason.',
  ),
  620: CARD_DETAILS(
    'The issuer declined because of the security code.',
    'Ask for the security code again.',
  ),
  621: CARD_DETAILS(
    'The bank approved, but the site does not accept the CVV result. The hold is reversed.',
    'Ask for the security code again.',
  ),
  622: CARD_DETAILS(
    'The issuer declined because of the address.',
    'Ask for the billing address again.',
  ),
  623: CARD_DETAILS(
    'The bank approved, but the site does not accept the AVS result. The hold is reversed.',
    'Ask for the billing address again.',
  ),
  624: CARD_DETAILS('The card has expired.', 'Ask for the new expiry date, or for another card.'),
  625: BANK_LATER(
    'The card was used more often than the issuer allows.',
    'Try again tomorrow, or ask for another card.',
  ),
  630: CARD_DETAILS(
    'No card or account has this number.',
    'Ask for the card number again, or for another card.',
  ),
  635: BANK_LATER(
    'The card has insufficient funds.',
    'Try again in a few days, with a smaller amount, or with another card.',
  ),
  640: LATER('The issuer had a temporary problem.', 'Try again in a moment.'),
  650: BANK_LATER(
    'The issuer declined without a reason.',
    'The cardholder can ask the issuer. Another card may work.',
  ),
  660: OTHER_CARD(
    'The bank approved less than the request allows. The hold is reversed.',
    'Try a smaller amount, or another card.',
  ),
  670: [
    'The issuer or the site requires 3-D Secure.',
    'Send the payment again with 3-D Secure.',
    'authenticate',
    'authenticate',
  ],
  675: CARD_DETAILS(
    'The card number is invalid (check digit). No bank was asked.',
    'Ask for the card number again.',
  ),
  680: [
    'The processor received the same payment a moment ago.',
    'Check the first payment before you charge again.',
    'not_needed',
    'later',
  ],
  685: ASK_SHOP(
    'An order with this reference already exists.',
    'Check that order. Use a new reference for a new purchase.',
  ),
  690: ASK_SHOP('The customer already has this membership.', 'No action needed.'),
  692: SET_UP('The product is not a membership.', 'Choose a product that renews.'),
  695: OTHER_REQUEST(
    'The login name belongs to another customer.',
    'Ask the customer to choose another login name.',
  ),
  697: ASK_SHOP('The membership has ended.', 'Sell a new membership if the customer wants one.'),
  698: OTHER_REQUEST('This membership does not exist.', 'Check the membership number.'),
  699: ASK_SHOP('The membership never renews.', 'There is nothing to change.'),
  700: CARD_DETAILS('The tax number check failed.', 'Ask for the tax number again.'),
  706: ['The cardholder is too young.', 'Do not sell.', 'never', 'shop'],
  707: CARD_DETAILS('The tax number is wrong.', 'Ask for the tax number again.'),
}

/** Meanings of processor and issuer codes; a code means the same in both tiers. */
const BANK_CODES: Readonly<Record<string, string>> = {
  '01': 'The issuer requires a call.',
  '02': 'The issuer requires a call for a special reason.',
  '03': 'The bank does not recognize the merchant.',
  '04': 'The issuer wants the card retained.',
  '05': 'The bank declined without a reason.',
  '06': 'The bank had an error.',
  '07': 'The issuer wants the card retained because of fraud.',
  '12': 'The bank does not allow this type of payment.',
  '13': 'The bank does not accept this amount.',
  '14': 'No card has this number.',
  '15': 'No issuer has this number.',
  '19': 'The bank asks for the payment again.',
  '30': 'The bank rejected the message format.',
  '33': 'The card has expired, and the issuer wants it retained.',
  '34': 'The bank suspects fraud.',
  '35': 'The issuer wants the card retained. Call the acquirer.',
  '36': 'The card is restricted, and the issuer wants it retained.',
  '37': "The issuer wants the card retained. Call the acquirer's security department.",
  '38': 'The PIN was wrong too often, and the issuer wants the card retained.',
  '41': 'The card was reported lost.',
  '43': 'The card was reported stolen.',
  '46': 'The account was closed.',
  '51': 'Insufficient funds.',
  '54': 'The card has expired.',
  '55': 'The PIN was wrong.',
  '57': 'The cardholder is not allowed to make this payment.',
  '58': 'The terminal is not allowed to do this.',
  '59': 'The bank suspects fraud.',
  '61': 'The amount is above the limit of the card.',
  '62': 'The card is restricted.',
  '63': 'A security rule of the bank was broken.',
  '65': 'The card was used too often.',
  '66': 'Call the acquirer.',
  '67': 'The issuer wants the card retained.',
  '70': 'The cardholder must contact the issuer or confirm the payment.',
  '75': 'The PIN was wrong too often.',
  '76': 'The bank has no record of the original payment.',
  '78': 'The card was never used and is blocked.',
  '80': 'The network got no response from the issuer.',
  '82': 'The security code was refused.',
  '89': 'The security code was refused.',
  '91': 'The issuer could not be reached.',
  '92': 'No route to the issuer.',
  '93': 'The payment is forbidden by law.',
  '94': 'The bank received the same payment before.',
  '96': 'A system of the bank had an error.',
  N7: 'The security code does not match.',
  '1A': 'The cardholder must confirm the payment with 3-D Secure.',
  '6P': 'The cardholder verification data does not match.',
  Q1: 'The 3-D Secure authentication value (CAVV) was wrong.',
  R0: 'The cardholder stopped this recurring payment.',
  R1: 'The cardholder stopped all recurring payments to this merchant.',
  R3: 'The cardholder stopped all recurring payments.',
  '10': 'Partially approved.',
  '79': "See the bank's merchant advice.",
  '83': "The bank suspects fraud. See the bank's merchant advice.",
  '501': 'Try again later.',
  '502': 'The card has expired.',
  '503': 'The security code was refused.',
  '504': 'The address was refused.',
  '505': 'The bank declined.',
  '506': 'The bank suspects fraud.',
  '507': 'The amount is above the limit.',
  '518': 'A required field is missing.',
  '530': 'The bank could not be reached.',
  '600': 'The bank declined without a reason.',
  '605': 'The card was reported stolen.',
  '610': 'The issuer wants the card retained.',
  '620': 'The security code is wrong.',
  '624': 'The card has expired.',
  '635': 'Insufficient funds.',
  '660': 'Partially approved.',
  '881': 'The cardholder stopped all recurring payments.',
  '883': 'The cardholder stopped all recurring payments.',
}

/** The meaning of a SERVICE_RESPONSE number; an unlisted one is a plain decline. */
export function serviceMeaning(code: number): CodeMeaning {
  const [reason, advice, retry, customerMessage] = SERVICE[code as ServiceCode] ?? SERVICE[600]
  return { reason, advice, retry, customerMessage: CUSTOMER_MESSAGE[customerMessage] }
}

/** The meaning of a processor or issuer code; null for 0, '' and an unknown code. */
export function bankCodeMeaning(code: string): string | null {
  return BANK_CODES[code] ?? null
}

/** The codes of a response without approval. */
export interface DeclinedResponse {
  readonly serviceCode: number
  /** DE 39; '' where no bank was asked. */
  readonly responseCode: string
  /** Mastercard's merchant advice code; ''. */
  readonly merchantAdvice: string
  /** As it is stored; '' where it is not known. */
  readonly brand: string
}

/** Why a payment was not approved, and whether to retry; the networks' rules have priority. */
export function explainRefusal(
  { serviceCode, responseCode, merchantAdvice, brand }: DeclinedResponse,
  at: Date,
): CodeMeaning {
  const meaning = serviceMeaning(serviceCode)
  const network = retryNetworkOf(brand as CardBrand)
  const advice = merchantAdviceOf(network, merchantAdvice)
  if (advice?.kind === 'never') {
    return {
      ...meaning,
      retry: 'never',
      advice: `Do not charge this card again. The network says: ${advice.text}.`,
    }
  }
  if (responseCode === '') return meaning
  const category = declineCategory(network, { serviceCode, responseCode, merchantAdvice }, at)
  if (category === 'never' && meaning.retry !== 'never') {
    return {
      ...meaning,
      retry: 'never',
      advice: 'The card networks forbid another attempt with this card. Ask for another card.',
    }
  }
  if (advice?.kind === 'wait' && meaning.retry === 'later')
    return { ...meaning, advice: `The network says: ${advice.text}.` }
  if (advice?.kind === 'new_data')
    return { ...meaning, retry: 'other_data', advice: `The network says: ${advice.text}.` }
  return meaning
}
