import type { TransStatus } from '../../domain/three-ds/trans-status.ts'

/** What an issuer's status letter says of the cardholder. */
export const TRANS_STATUS_WORDS: Readonly<Record<TransStatus, string>> = {
  Y: 'The cardholder was authenticated',
  A: 'Authentication was attempted; the network stood in for the bank',
  N: 'The cardholder was not authenticated',
  R: 'The bank rejected the authentication, and wants no authorization',
  U: 'Authentication could not be done',
  C: 'The bank asks the cardholder to confirm',
  I: 'For information only; the bank accepts the exemption that was asked for',
}

/** What an ECI says about who bears fraud. */
export const ECI_WORDS: Readonly<Record<string, string>> = {
  '05': 'Fully authenticated: the bank of the card bears fraud',
  '06': 'Authentication was attempted, or an exemption used',
  '07': 'Not authenticated: the merchant bears fraud',
  '02': 'Fully authenticated: the bank of the card bears fraud',
  '01': 'Authentication was attempted: the bank of the card bears fraud',
  '00': 'Not authenticated: the merchant bears fraud',
}

/** How far an authentication is. */
export const AUTHENTICATION_STATES: Readonly<Record<string, string>> = {
  asking: 'The bank of the card is being asked',
  challenge: 'The cardholder was asked to confirm',
  result: 'The bank has told how it ended',
  consumed: 'It was used for the payment',
  failed: 'It failed',
  expired: 'The cardholder did not come back in time',
}

/** Messages of 3-D Secure by their short names. */
export const MESSAGE_WORDS: Readonly<Record<string, string>> = {
  AReq: 'Authentication request to the Directory Server',
  ARes: 'Its answer',
  CReq: 'Challenge request to the bank of the card',
  CRes: 'What the browser brought back from the challenge',
  RReq: 'Result from the bank of the card',
  RRes: 'The result was acknowledged',
  PReq: 'Card ranges were asked for',
  PRes: 'Card ranges',
  Erro: 'A message was refused as wrong',
}
