/**
 * Values that only this suite uses, so that each place where one turns up is a leak. Most digits of
 * a card number count as a find, ten characters of a text in a row, or twelve bytes.
 */
export type Mark =
  | { readonly kind: 'card'; readonly name: string; readonly digits: string }
  | { readonly kind: 'code'; readonly name: string; readonly digits: string }
  | { readonly kind: 'text'; readonly name: string; readonly text: string }
  | { readonly kind: 'bytes'; readonly name: string; readonly bytes: Buffer }

/** The digits with the check digit that the Luhn formula wants behind them. */
export function withCheckDigit(digits: string): string {
  let sum = 0
  for (const [at, digit] of [...digits].toReversed().entries()) {
    const weighted = Number(digit) * (at % 2 === 0 ? 2 : 1)
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return digits + String((10 - (sum % 10)) % 10)
}

/**
 * Card numbers in ranges that test cards begin with; the digits behind were drawn once. Each path
 * of the suite has numbers of its own, so that a leak shows its path.
 */
const CARDS = {
  payment: '401288571938264',
  decline: '555555826193747',
  saved: '424242957316842',
  refund: '601111748295163',
  refusal: '411111683927485',
  malformed: '520082937461859',
  address: '400000719358264',
  pasted: '510510862947318',
  extra: '222300958172643',
  bankFault: '401288392751846',
  bankCrash: '555555281937465',
  database: '411111829374651',
  workerCrash: '424242618297354',
  uncaught: '400000562817394',
  token: '555555739164825',
  login: '424242836195274',
  cardPage: '401288627183945',
  stop: '520082518273946',
  command: '401288946372815',
  commandId: '37144982736451',
  vaultSaved: '555555318462957',
  vaultLost: '411111736281594',
  vaultChanged: '424242951738264',
  vaultRotated: '400000284917365',
  vaultImported: '520082649173825',
  browserPaid: '424242715938264',
  browserLeft: '555555947261835',
  browserCrashed: '411111384729615',
  threeDs: '401288739516284',
  portal: '401288417395628',
  console: '424242715384926',
  dispute: '401288835264917',
  program: '424242869315274',
  mail: '520082731846295',
  webhook: '424242581736294',
  planted: '411111957284613',
} as const

export type CardName = keyof typeof CARDS

/** A marked card number, and the mark that finds it. */
export function card(name: CardName): string {
  return withCheckDigit(CARDS[name])
}

/** The part of a card number that may be shown. */
export function truncated(digits: string): string {
  return `${digits.slice(0, 6)}******${digits.slice(-4)}`
}

/** One security code for all requests: four digits that no id, port or amount of the suite is. */
export const CODE = '7391'
export const PASSWORD = 'Canary-Pw-wQ7zR2kX9'
export const WRONG_PASSWORD = 'Canary-No-bV4nT8mJ6'
export const OPERATOR_PASSWORD = 'Canary-Op-yT6sD4fW8'
/** Of a portal user in the portal. */
export const PORTAL_PASSWORD = 'Canary-Portal-7mXc4Rv8'
/** Of an operator at the console. */
export const CONSOLE_PASSWORD = 'Canary-Console-4kVr9Wq2'
export const CUSTOMER_PASSWORD = 'Canary-Cust-5hGk3Lp9'
/** The key of the exports of a vault; drawn once, like the numbers. */
export const EXPORT_KEY = Buffer.from(
  '9f4c1be27a5d83066e1f9ab4c8d275300b7e64f1a2539cde48f6170b5a93c2ed',
  'hex',
)
/** The key of backups; drawn once. */
export const BACKUP_KEY = Buffer.from(
  'd3a80c5f61e92b7704c5be18f36a927d4e0b8361c7f25a99023d6e84b17fc05a',
  'hex',
)
export const LICENCE = 'CANARYDLN-82Q-X17-KW'

/** The cardholder's entry at the issuer, which the gateway must never receive. */
export const ONE_TIME_CODE = '8264917305'
/** Proof of an authentication by another provider; drawn once. */
export const CAVV = Buffer.from('b7d41e5903ac68f27741d09e35c8a6fb12e4907d', 'hex')

/** Everything that is known before the program runs; its keys come from the run. */
export function knownMarks(): Mark[] {
  return [
    ...(Object.keys(CARDS) as CardName[]).map((name) => ({
      kind: 'card' as const,
      name: `the card of "${name}"`,
      digits: card(name),
    })),
    { kind: 'code', name: 'the security code', digits: CODE },
    { kind: 'text', name: 'a one-time code', text: ONE_TIME_CODE },
    { kind: 'bytes', name: 'a CAVV', bytes: CAVV },
    { kind: 'text', name: 'the API password', text: PASSWORD },
    { kind: 'text', name: 'a wrong API password', text: WRONG_PASSWORD },
    { kind: 'text', name: 'a password that an operator gave', text: OPERATOR_PASSWORD },
    { kind: 'text', name: "a portal user's password", text: PORTAL_PASSWORD },
    { kind: 'text', name: "an operator's password", text: CONSOLE_PASSWORD },
    { kind: 'text', name: "a customer's password", text: CUSTOMER_PASSWORD },
    { kind: 'text', name: "a driver's licence", text: LICENCE },
    { kind: 'bytes', name: 'the key of an export', bytes: EXPORT_KEY },
    { kind: 'bytes', name: 'the key of backups', bytes: BACKUP_KEY },
  ]
}
