import {
  declineCategory,
  merchantAdviceOf,
  retryNetworkOf,
} from '../../domain/memberships/network-rules.ts'
import type { CardBrand } from '../../domain/payments/card.ts'
import type { ServiceCode } from '../../domain/payments/service-codes.ts'

/**
 * Whether the same card may be charged again. `never`: the networks forbid it, or it can't help.
 * `other_data`: with what was wrong put right. `later`: as it is, after a while. `authenticate`: with
 * 3-D Secure. `not_needed`: there is nothing to try again. `set_up`: not before the merchant, or
 * whoever runs the gateway, has changed how things are set up.
 */
export type RetryAdvice =
  | 'never'
  | 'other_data'
  | 'later'
  | 'authenticate'
  | 'not_needed'
  | 'set_up'

/** A code in plain words. */
export interface CodeMeaning {
  /** What happened, for the merchant's staff. */
  readonly reason: string
  /** What to do about it. */
  readonly advice: string
  readonly retry: RetryAdvice
  /** What the shopper may be told: it helps them, and nobody who tries stolen cards. */
  readonly shopper: string
}

const SHOPPER = {
  bank: 'Your bank declined the payment. Please use another card, or ask your bank.',
  details: 'Please check the card details and try again.',
  later: 'The payment could not be completed right now. Please try again in a few minutes.',
  authenticate:
    'Your bank asks you to confirm this payment. Please try again and follow its steps.',
  shop: 'The payment could not be completed. Please contact us.',
  nothing: '',
} as const

type Shopper = keyof typeof SHOPPER
type Row = readonly [reason: string, advice: string, retry: RetryAdvice, shopper: Shopper]

const REQUIRED = (what: string): Row => [
  `The processor does not take payments without ${what}.`,
  `Ask for ${what}, and send it along with the payment.`,
  'other_data',
  'details',
]

type Words = (reason: string, advice: string) => Row

function row(retry: RetryAdvice, shopper: Shopper): Words {
  return (reason, advice) => [reason, advice, retry, shopper]
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
    'Look at the API code and at the field it names.',
  ),
  100: NOTHING_TO_DO('It was approved.', 'There is nothing to do.'),
  101: NOTHING_TO_DO('The gateway takes requests.', 'There is nothing to do.'),
  102: NOTHING_TO_DO('The membership was changed.', 'There is nothing to do.'),
  150: SET_UP(
    'The site has a closed catalogue without this product.',
    'Add the product, or send one that is in the catalogue.',
  ),
  152: SET_UP(
    'The product is of a type that does not exist.',
    'Put the type of the product right.',
  ),
  155: SET_UP(
    'No merchant account of the site takes this currency.',
    'Choose another currency, or have the account set up for this one.',
  ),
  190: SET_UP(
    'The product of the membership is not set up completely.',
    'Look at its price and currency.',
  ),
  192: SET_UP('The product was switched off.', 'Switch it on again, or sell another.'),
  200: REQUIRED('the security code'),
  201: REQUIRED('the country'),
  202: REQUIRED('the date of birth'),
  203: REQUIRED('the social security number'),
  204: REQUIRED('the address'),
  205: REQUIRED('the city'),
  206: REQUIRED('the state'),
  207: REQUIRED('the postal code'),
  208: REQUIRED('the phone number'),
  209: REQUIRED('the IP address of the shopper'),
  210: REQUIRED('the Brazilian tax number'),
  211: REQUIRED('the e-mail address'),
  212: REQUIRED('the first name'),
  213: REQUIRED('the last name'),
  215: LATER(
    'Too many payments came in a short time: of this card, its shopper, or all together.',
    'Wait. If it was no attack, look at the rules against card testing.',
  ),
  216: OTHER_CARD(
    'The bank of the card does not take this amount.',
    'Try another amount, or another card.',
  ),
  217: CARD_DETAILS(
    'No bank issues cards with this number.',
    'Ask for the number again, or for another card.',
  ),
  218: OTHER_CARD('The PIN was wrong, or was wrong too often.', 'Ask for another card.'),
  219: NEVER(
    'The cardholder had their bank stop this recurring payment.',
    'Do not charge it again: end it, and speak with the customer.',
  ),
  220: NEVER(
    'The cardholder had their bank stop all recurring payments to you.',
    'Do not charge this card again for anything recurring, and speak with the customer.',
  ),
  221: LATER('A system of the bank of the card had a fault.', 'Try again in a while.'),
  500: SET_UP(
    'The site has no merchant account that fits the request.',
    'Name an account of the site, or none.',
  ),
  501: OTHER_REQUEST('There is no such customer.', 'Look the customer up again.'),
  502: LATER(
    'Nobody learned what the bank had decided, so the payment counts as failed. What the bank may hold is being taken back.',
    'It may be tried again now. The shopper may see the amount held for a while.',
  ),
  503: LATER(
    'The gateway could not take requests.',
    'Try again in a moment: nothing was accepted.',
  ),
  505: NOTHING_TO_DO(
    'Nothing is left of the order: it was taken back, or its authorization is too old.',
    'Charge the customer with a new order if something is owed.',
  ),
  506: NOTHING_TO_DO('More was to be captured than is left.', 'Capture at most what is left.'),
  507: NOTHING_TO_DO('All that was authorized is captured.', 'There is nothing left to capture.'),
  510: NOTHING_TO_DO(
    'The whole order was taken back.',
    'Charge the customer with a new order if something is owed.',
  ),
  511: NOTHING_TO_DO(
    'The cardholder took the money back through their bank.',
    'Answer the chargeback instead.',
  ),
  512: NOTHING_TO_DO(
    'There is no such order.',
    'Look at the number again, and at the site it belongs to.',
  ),
  515: NOTHING_TO_DO('All that was captured is refunded.', 'There is nothing left to refund.'),
  516: NOTHING_TO_DO('More was to be refunded than is left.', 'Refund at most what is left.'),
  518: OTHER_REQUEST(
    'The processor misses a field.',
    'Its own text may say which one; send it along.',
  ),
  519: SET_UP(
    'A trial needs a text for the statement that says so.',
    'Set the descriptor of the trial.',
  ),
  520: SET_UP(
    'The processor does not take this currency.',
    'Choose another currency, or have the account set up for this one.',
  ),
  522: OTHER_CARD(
    'The merchant account does not take cards of this brand.',
    'Ask for another card.',
  ),
  525: NOTHING_TO_DO('The batch is closed, so it is too late to void.', 'Refund instead.'),
  530: LATER('The bank, or the way to it, was down. Nothing is held.', 'Try again in a moment.'),
  536: NOTHING_TO_DO(
    'Nothing is captured, so there is nothing to refund.',
    'Void the authorization instead.',
  ),
  540: BANK_LATER(
    'The amount is above what the card may pay at once or in a day.',
    'Ask for another card, or try a smaller amount.',
  ),
  555: BANK_LATER(
    'The bank of the card wants to be called before it decides.',
    'The cardholder has to call their bank. Ask for another card meanwhile.',
  ),
  560: SET_UP(
    'The processor does not know this kind of payment.',
    'Ask the processor what the account may do.',
  ),
  564: SET_UP(
    'The processor does not know the account or its terminal as they are set up.',
    'Have the merchant account looked at.',
  ),
  565: NOTHING_TO_DO(
    'The amount is zero, or more than there is.',
    'Give an amount above zero, and at most what is left.',
  ),
  570: OTHER_CARD(
    'The bank does not let this card pay for this kind of thing.',
    'Ask for another card.',
  ),
  580: ASK_SHOP(
    'The order, the card or the bank can not do what was asked.',
    'Look at the state of the order.',
  ),
  600: BANK_LATER(
    'The bank of the card declined, and gave no reason.',
    'The cardholder may ask their bank. Another card may work.',
  ),
  601: OTHER_CARD(
    'A rule against fraud said no.',
    'Look at the payment before you let it be tried again.',
  ),
  603: NEVER(
    'The bank of the card, or a rule, suspects fraud.',
    'Do not ship. Ask for another card only if you know the customer.',
  ),
  605: NEVER(
    'The card was reported stolen.',
    'Do not charge it again, and do not tell the shopper why.',
  ),
  610: NEVER(
    'The bank wants the card to be kept.',
    'Do not charge it again, and do not tell the shopper why.',
  ),
  615: NEVER(
    'The card was reported lost.',
    'Do not charge it again, and do not tell the shopper why.',
  ),
  620: CARD_DETAILS('The bank declined for the security code.', 'Have the code entered again.'),
  621: CARD_DETAILS(
    'The bank approved, but what it said of the security code is not accepted by the site. The hold is taken back.',
    'Have the code entered again.',
  ),
  622: CARD_DETAILS(
    'The bank declined for the address.',
    'Have the billing address entered again.',
  ),
  623: CARD_DETAILS(
    'The bank approved, but what it said of the address is not accepted by the site. The hold is taken back.',
    'Have the billing address entered again.',
  ),
  624: CARD_DETAILS('The card has expired.', 'Ask for the new expiry, or for another card.'),
  625: BANK_LATER(
    'The card was used more often than its bank allows.',
    'Try again tomorrow, or ask for another card.',
  ),
  630: CARD_DETAILS(
    'There is no card or account of this number.',
    'Ask for the number again, or for another card.',
  ),
  635: BANK_LATER(
    'There is not enough money on the card.',
    'Try again in some days, a smaller amount, or another card.',
  ),
  640: LATER('The bank of the card had a passing problem.', 'Try again in a moment.'),
  650: BANK_LATER(
    'The bank of the card declined, and gave no reason.',
    'The cardholder may ask their bank. Another card may work.',
  ),
  660: OTHER_CARD(
    'The bank approved less than the site takes. The hold is taken back.',
    'Try a smaller amount, or another card.',
  ),
  670: [
    'The bank wants the cardholder to confirm the payment with 3-D Secure, or the site insists on it.',
    'Send the payment again with 3-D Secure.',
    'authenticate',
    'authenticate',
  ],
  675: CARD_DETAILS(
    'The check digit of the card number is wrong. No bank was asked.',
    'Have the number entered again.',
  ),
  680: [
    'The processor saw the same payment a moment ago.',
    'Look for the first one before anything is charged again.',
    'not_needed',
    'later',
  ],
  685: ASK_SHOP(
    'There is an order with this reference already.',
    'Look at that order. A new purchase needs a reference of its own.',
  ),
  690: ASK_SHOP('The customer has this membership already.', 'There is nothing to sell.'),
  692: SET_UP('The product is no membership.', 'Choose a product that renews.'),
  695: OTHER_REQUEST(
    'The login name belongs to another customer.',
    'Have another login name chosen.',
  ),
  697: ASK_SHOP('The membership is over.', 'Sell a new one if the customer wants it.'),
  698: OTHER_REQUEST('There is no such membership.', 'Look at its number again.'),
  699: ASK_SHOP('The membership never renews.', 'There is nothing to change.'),
  700: CARD_DETAILS('A check of the tax number said no.', 'Have the tax number entered again.'),
  706: ['The cardholder is too young.', 'Do not sell.', 'never', 'shop'],
  707: CARD_DETAILS('The tax number is wrong.', 'Have the tax number entered again.'),
}

/** What codes of processors and issuers say; the same code means the same in both tiers. */
const BANK_CODES: Readonly<Record<string, string>> = {
  '01': 'The bank of the card wants to be called.',
  '02': 'The bank of the card wants to be called, for a special reason.',
  '03': 'The bank does not know the merchant.',
  '04': 'The card is to be kept.',
  '05': 'The bank declined and gave no reason.',
  '06': 'The bank had an error.',
  '07': 'The card is to be kept: fraud.',
  '12': 'The bank does not allow this kind of payment.',
  '13': 'The bank does not take this amount.',
  '14': 'There is no card of this number.',
  '15': 'There is no bank for this number.',
  '19': 'The payment is to be sent again.',
  '30': 'The message was not as the bank wants it.',
  '33': 'The card has expired, and is to be kept.',
  '34': 'The bank suspects fraud.',
  '35': 'The card is to be kept, and the acquirer to be called.',
  '36': 'The card is restricted, and is to be kept.',
  '37': 'The card is to be kept, and security to be called.',
  '38': 'The PIN was wrong too often; the card is to be kept.',
  '41': 'The card was reported lost.',
  '43': 'The card was reported stolen.',
  '46': 'The account was closed.',
  '51': 'There is not enough money.',
  '54': 'The card has expired.',
  '55': 'The PIN was wrong.',
  '57': 'The cardholder may not pay for this.',
  '58': 'The terminal may not do this.',
  '59': 'The bank suspects fraud.',
  '61': 'The amount is above the limit of the card.',
  '62': 'The card is restricted.',
  '63': 'A security rule of the bank was broken.',
  '65': 'The card was used too often.',
  '66': 'The acquirer is to be called.',
  '67': 'The card is to be kept.',
  '70': 'The cardholder has to speak with their bank, or confirm the payment.',
  '75': 'The PIN was wrong too often.',
  '76': 'The bank does not know the payment that this was about.',
  '78': 'The card was never used and is blocked.',
  '80': 'The network had no answer of the bank.',
  '82': 'The security code was refused.',
  '89': 'The security code was refused.',
  '91': 'The bank of the card could not be reached.',
  '92': 'There was no way to the bank of the card.',
  '93': 'The law forbids the payment.',
  '94': 'The bank saw the same payment before.',
  '96': 'A system of the bank had a fault.',
  N7: 'The security code does not match.',
  '1A': 'The cardholder has to confirm the payment with 3-D Secure.',
  '6P': 'What was sent to verify the cardholder does not match.',
  Q1: 'The value of the 3-D Secure authentication was wrong.',
  R0: 'The cardholder stopped this recurring payment.',
  R1: 'The cardholder stopped all recurring payments to this merchant.',
  R3: 'The cardholder stopped all recurring payments.',
  '10': 'Approved for less than was asked.',
  '79': 'The bank says more in its merchant advice.',
  '83': 'The bank suspects fraud, or says more in its merchant advice.',
  '501': 'Try again later.',
  '502': 'The card has expired.',
  '503': 'The security code was refused.',
  '504': 'The address was refused.',
  '505': 'The bank declined.',
  '506': 'The bank suspects fraud.',
  '507': 'The amount is above the limit.',
  '518': 'A field is missing that the processor needs.',
  '530': 'The bank could not be reached.',
  '600': 'The bank declined and gave no reason.',
  '605': 'The card was reported stolen.',
  '610': 'The card is to be kept.',
  '620': 'The security code is wrong.',
  '624': 'The card has expired.',
  '635': 'There is not enough money.',
  '660': 'Approved for less than was asked.',
  '881': 'The cardholder stopped all recurring payments.',
  '883': 'The cardholder stopped all recurring payments.',
}

/** What the number of a SERVICE_RESPONSE stands for; one that nobody listed is a plain decline. */
export function serviceMeaning(code: number): CodeMeaning {
  const [reason, advice, retry, shopper] = SERVICE[code as ServiceCode] ?? SERVICE[600]
  return { reason, advice, retry, shopper: SHOPPER[shopper] }
}

/** A code of a processor or issuer in words; null for 0, '' and what nobody knows. */
export function bankCodeMeaning(code: string): string | null {
  return BANK_CODES[code] ?? null
}

/** The codes of an answer that was no approval. */
export interface Refusal {
  readonly serviceCode: number
  /** DE 39; '' where no bank was asked. */
  readonly responseCode: string
  /** Mastercard's merchant advice code; ''. */
  readonly merchantAdvice: string
  /** As it is stored; '' where it is not known. */
  readonly brand: string
}

/** Why a payment was not approved, and whether to try again: what the networks say goes first. */
export function explainRefusal(
  { serviceCode, responseCode, merchantAdvice, brand }: Refusal,
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
      advice: 'The networks forbid another attempt with this card. Ask for another one.',
    }
  }
  if (advice?.kind === 'wait' && meaning.retry === 'later')
    return { ...meaning, advice: `The network says: ${advice.text}.` }
  if (advice?.kind === 'new_data')
    return { ...meaning, retry: 'other_data', advice: `The network says: ${advice.text}.` }
  return meaning
}
