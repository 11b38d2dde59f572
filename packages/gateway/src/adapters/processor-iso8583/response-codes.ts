import type { CardBrand } from '../../domain/payments/card.ts'

/**
 * The SERVICE_RESPONSE code for a processor's refusal. Looked up by the processor's own code if it
 * gave one, else by the response code of DE 39.
 *
 * Own codes: those of the test bank, docs/test-bank.md. DE 39: ISO 8583:1987 and the networks'
 * public readings as of November 2026; docs/codes.md lists both.
 */
export const PROCESSOR_CODES: Readonly<Record<string, number>> = {
  '501': 640,
  '502': 624,
  '503': 621,
  '504': 623,
  '505': 600,
  '506': 603,
  '507': 540,
  '518': 518,
  '530': 530,
  '600': 600,
  '605': 605,
  '610': 610,
  '620': 620,
  '624': 624,
  '635': 635,
  '660': 660,
  '881': 220,
  '883': 220,
  R0: 219,
  R1: 220,
  R3: 220,
}

export const RESPONSE_CODES: Readonly<Record<string, number>> = {
  '01': 555,
  '02': 555,
  '03': 564,
  '04': 610,
  '05': 650,
  '06': 502,
  '07': 610,
  '12': 580,
  '13': 216,
  '14': 630,
  '15': 217,
  '19': 640,
  '30': 518,
  '33': 624,
  '34': 603,
  '35': 610,
  '36': 610,
  '37': 610,
  '38': 610,
  '41': 615,
  '43': 605,
  '46': 630,
  '51': 635,
  '54': 624,
  '55': 218,
  '57': 570,
  '58': 564,
  '59': 603,
  '61': 540,
  '62': 600,
  '63': 603,
  '65': 625,
  '66': 610,
  '67': 610,
  '70': 670,
  '75': 218,
  '78': 630,
  '80': 530,
  '82': 620,
  '89': 620,
  '91': 530,
  '92': 530,
  '93': 600,
  '94': 680,
  '96': 221,
  N7: 620,
  '1A': 670,
  '6P': 622,
  Q1: 670,
  R0: 219,
  R1: 220,
  R3: 220,
}

/** A plain refusal: what a code that no table knows means. */
const DECLINED = 600

/** The SERVICE_RESPONSE code of a refusal. */
export function serviceCodeOf(processorCode: string, responseCode: string): number {
  return PROCESSOR_CODES[processorCode] ?? RESPONSE_CODES[responseCode] ?? DECLINED
}

/** A processor's refusal in a few words, where it sent none of its own. */
export const RESPONSE_TEXTS: Readonly<Record<string, string>> = {
  '01': 'Refer to issuer',
  '02': 'Refer to issuer, special condition',
  '03': 'Invalid merchant',
  '04': 'Pick up card',
  '05': 'Do not honor',
  '06': 'Error',
  '07': 'Pick up card, fraud',
  '12': 'Invalid transaction',
  '13': 'Invalid amount',
  '14': 'Invalid card number',
  '15': 'No such issuer',
  '19': 'Re-enter transaction',
  '30': 'Format error',
  '41': 'Lost card',
  '43': 'Stolen card',
  '46': 'Closed account',
  '51': 'Insufficient funds',
  '54': 'Expired card',
  '55': 'Incorrect PIN',
  '57': 'Not permitted to cardholder',
  '58': 'Not permitted to terminal',
  '59': 'Suspected fraud',
  '61': 'Exceeds amount limit',
  '62': 'Restricted card',
  '63': 'Security violation',
  '65': 'Exceeds count limit',
  '70': 'Contact issuer',
  '75': 'PIN tries exceeded',
  '78': 'Blocked, first use',
  '82': 'Security code failed',
  '91': 'Issuer inoperative',
  '92': 'No route to issuer',
  '93': 'Violation of law',
  '94': 'Duplicate transmission',
  '96': 'System malfunction',
  N7: 'Security code mismatch',
  '1A': 'Additional authentication required',
  '6P': 'Verification data failed',
  Q1: 'Card authentication failed',
  R0: 'Stop this payment',
  R1: 'Stop all payments of this merchant',
  R3: 'Stop all payments',
}

/** DE 39 of answers that are no refusals: no processor code says more. */
const UNNAMED = new Set(['00', '10', '85'])

/** A code and a text of the processor's own. */
interface ReportedCode {
  readonly code: string | undefined
  readonly text: string | undefined
}

/**
 * The processor's code and its text. A text of the table belongs to DE 39, so it does not stand
 * beside a code of the processor's own.
 */
export function processorCodeOf(
  responseCode: string,
  { code, text }: ReportedCode,
): { readonly processorCode: string; readonly processorAdvice: string } {
  const known = code === undefined ? RESPONSE_TEXTS[responseCode] : undefined
  return {
    processorCode: code ?? (UNNAMED.has(responseCode) ? '' : responseCode),
    processorAdvice: text ?? known ?? '',
  }
}

/**
 * Mastercard's issuers say with it that they want the customer authenticated, others that the card
 * is used too often.
 */
const COUNT_LIMIT = '65'
const AUTHENTICATION_REQUIRED = 670

/** The SERVICE_RESPONSE code of a refused payment. */
export function declineCodeOf(
  processorCode: string,
  responseCode: string,
  card: { readonly brand: CardBrand | null; readonly isAuthenticated: boolean },
): number {
  const isMastercard = card.brand === 'Mastercard' && !card.isAuthenticated
  if (processorCode === COUNT_LIMIT && isMastercard) return AUTHENTICATION_REQUIRED
  return serviceCodeOf(processorCode, responseCode)
}
