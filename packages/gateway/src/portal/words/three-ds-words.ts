import type { TransStatus } from '../../domain/three-ds/trans-status.ts'

/** The meaning of an issuer's status letter about the cardholder. */
export const TRANS_STATUS_WORDS: Readonly<Record<TransStatus, string>> = {
  Y: 'The cardholder was authenticated',
  A: 'Authentication was attempted; the network stood in for the issuer',
  N: 'The cardholder was not authenticated',
  R: 'The issuer rejected the authentication and wants no authorization',
  U: 'Authentication was not possible',
  C: 'The issuer asks the cardholder to confirm',
  I: 'For information only; the issuer accepts the requested exemption',
}

/** The meaning of an ECI: the party that bears fraud. */
export const ECI_WORDS: Readonly<Record<string, string>> = {
  '05': 'Fully authenticated: the issuer is liable for fraud',
  '06': 'Authentication attempted, or exemption used',
  '07': 'Not authenticated: the merchant is liable for fraud',
  '02': 'Fully authenticated: the issuer is liable for fraud',
  '01': 'Authentication attempted: the issuer is liable for fraud',
  '00': 'Not authenticated: the merchant is liable for fraud',
}

/** How far an authentication is. */
export const AUTHENTICATION_STATES: Readonly<Record<string, string>> = {
  asking: 'Waiting for the issuer',
  challenge: 'Challenge in progress',
  result: 'Result received',
  consumed: 'Used for the payment',
  failed: 'Failed',
  expired: 'The cardholder did not return in time',
}

/** Messages of 3-D Secure by their short names. */
export const MESSAGE_WORDS: Readonly<Record<string, string>> = {
  AReq: 'Authentication request to the Directory Server',
  ARes: 'Authentication response',
  CReq: 'Challenge request to the issuer',
  CRes: 'Challenge response through the browser',
  RReq: 'Result from the issuer',
  RRes: 'Acknowledgement of the result',
  PReq: 'Request for card ranges',
  PRes: 'Card ranges',
  Erro: 'Error message',
}
