import type { TrialPayment } from './trial.ts'

/** One AVS result, and how it is had. */
export interface AvsValue {
  readonly letter: string
  readonly meaning: string
  /** As docs/test-bank.md prints it. */
  readonly how: string
  readonly payment: TrialPayment
}

const US = '4012889000000012'
const LONDON = '4012889000000442'
const PARIS = '4012889000000335'
const NOWHERE = { street: '9 Elsewhere', postalCode: '99999' }
const MAIN = '123 Main Street'
const EIFFEL = '5 Avenue Anatole France'

/** Every letter, in the alphabet's order. */
export const AVS_VALUES: readonly AvsValue[] = [
  home('A', 'street yes, postal code no', MAIN, '99999'),
  abroad(
    'B',
    'street yes, postal code not checked (abroad)',
    PARIS,
    EIFFEL,
    '99999',
    `${PARIS}, \`${EIFFEL}\`, another or no postal code`,
  ),
  abroad('C', 'neither of them (abroad)', PARIS, NOWHERE.street, NOWHERE.postalCode),
  abroad('D', 'both (abroad)', LONDON, '221 Baker Street', 'NW1 6XE'),
  special('E', 'not possible for this card', '00005'),
  amex('F', 'postal code yes, name no', '378282900003060'),
  special('G', 'foreign issuer without AVS', '00004', ', or 4012889000000459'),
  amex('H', 'street and postal code yes, name no', '378282900003086'),
  {
    letter: 'I',
    meaning: 'not verified (abroad)',
    how: `${PARIS}, no address given`,
    payment: { pan: PARIS, address: { street: '', postalCode: '' } },
  },
  amex('J', 'name, street and postal code yes', '378282900003102'),
  amex('K', 'name yes, street and postal code no', '378282900003110'),
  amex('L', 'name and postal code yes, street no', '378282900003128'),
  abroad('M', 'both (abroad), and every other card', PARIS, EIFFEL, '75007'),
  home('N', 'neither of them', NOWHERE.street, NOWHERE.postalCode, '; amount 5.08'),
  amex('O', 'name and street yes, postal code no', '378282900003151'),
  abroad('P', 'postal code yes, street not checked (abroad)', PARIS, NOWHERE.street, '75007'),
  amex('Q', 'name, street and postal code yes', '378282900003177'),
  special('R', 'system down, try again', '00001'),
  special('S', 'not supported by the issuer', '00003'),
  amex('T', 'street yes, name no', '378282900003201'),
  special('U', 'no information', '00002', ', or no address given'),
  amex('V', 'name, street and postal code yes', '378282900003227'),
  home('W', 'nine-digit postal code yes, street no', NOWHERE.street, '12345-6789'),
  home('X', 'street and nine-digit postal code yes', MAIN, '12345-6789'),
  home('Y', 'street and five-digit postal code yes', MAIN, '12345'),
  home('Z', 'five-digit postal code yes, street no', NOWHERE.street, '12345'),
]

function home(
  letter: string,
  meaning: string,
  street: string,
  postalCode: string,
  also?: string,
): AvsValue {
  return {
    letter,
    meaning,
    how: `test card, \`${street}\`, \`${postalCode}\`${also ?? ''}`,
    payment: { pan: US, address: { street, postalCode } },
  }
}

function abroad(
  letter: string,
  meaning: string,
  pan: string,
  street: string,
  postalCode: string,
  how?: string,
): AvsValue {
  return {
    letter,
    meaning,
    how: how ?? `${pan}, \`${street}\`, \`${postalCode}\``,
    payment: { pan, address: { street, postalCode } },
  }
}

function special(letter: string, meaning: string, postalCode: string, also?: string): AvsValue {
  return {
    letter,
    meaning,
    how: `test card, postal code \`${postalCode}\`${also ?? ''}`,
    payment: { pan: US, address: { street: MAIN, postalCode } },
  }
}

function amex(letter: string, meaning: string, pan: string): AvsValue {
  return { letter, meaning: `Amex: ${meaning}`, how: pan, payment: { pan, address: NOWHERE } }
}
