import type { WhyFacts } from './why-facts.ts'
import { text, type Inputs } from './why-inputs.ts'

/** The facts and the verdict of a step. */
export interface Looked {
  readonly inputs?: Inputs
  /** Said when it passed. */
  readonly passed: string
  /** Set where the step has nothing to look at. */
  readonly skipped?: string
  /** Said when it decided. */
  readonly decided: string
  readonly approve: string | null
}

/** The velocity rules of the site. */
export function lookAtVelocity({ site, cardTesting }: WhyFacts): Looked {
  const isOff = site === null || site.cardTestingMode === 'off'
  return {
    inputs: [
      ['Site rules', site?.cardTestingMode ?? ''],
      ['Rule', cardTesting?.rule ?? ''],
    ],
    passed:
      cardTesting === null
        ? 'No rule reached its limit.'
        : `Rule ${cardTesting.rule} reached its limit. ` +
          'The site is in watch mode, so the payment continued.',
    ...(isOff && cardTesting === null ? { skipped: 'The site has no velocity rules.' } : {}),
    decided: `Rule ${cardTesting?.rule ?? 'of the site'} reached its limit. No bank was asked.`,
    approve:
      "Wait for the end of the rule's window, or raise its limit if this was not an attack. " +
      'Another card, address or amount also helps if the rule counts it.',
  }
}

/** The parameter that a payment lacks, by the code of an account that requires it. */
const REQUIRED_PARAMETERS: Readonly<Record<number, string>> = {
  200: 'PMT_KEY',
  202: 'CUST_BIRTHDAY',
  203: 'CUST_SSN_L4',
  204: 'BILL_ADDR',
  205: 'BILL_ADDR_CITY',
  206: 'BILL_ADDR_STATE',
  207: 'BILL_ADDR_ZIP',
  208: 'CUST_PHONE',
  209: 'XTL_IP',
  210: 'CUST_BRCPFCNPJ',
  211: 'CUST_EMAIL',
  212: 'CUST_FNAME',
  213: 'CUST_LNAME',
}

const BY_LIMIT: Readonly<Record<number, { readonly decided: string; readonly approve: string }>> = {
  201: {
    decided: 'The merchant account requires a country or has a rule for it, and none was sent.',
    approve: 'Send BILL_ADDR_COUNTRY.',
  },
  215: {
    decided: 'The payments of this day have reached the limit of the merchant account.',
    approve: 'Try again tomorrow, or ask the operator for a higher limit.',
  },
  522: {
    decided: 'The merchant account does not take this card brand.',
    approve: 'Use a card of another brand, or ask the operator which brands the account takes.',
  },
  540: {
    decided: 'The amount is above the limit of the merchant account for one payment.',
    approve: 'Try a smaller amount, or ask the operator for a higher limit.',
  },
  601: {
    decided: 'The merchant account does not take payments with this billing country.',
    approve: 'Ask the operator which countries the account takes.',
  },
}

/** The demands of the merchant account, and the operator's limits for it. */
export function lookAtLimits({ request, transaction }: WhyFacts): Looked {
  const { serviceCode = 0 } = transaction ?? {}
  const required = REQUIRED_PARAMETERS[serviceCode]
  const missing =
    required === undefined
      ? {}
      : {
          decided: `The merchant account requires ${required}, and it was not sent.`,
          approve: `Send ${required}.`,
        }
  const { decided = '', approve = null } = BY_LIMIT[serviceCode] ?? missing
  return {
    inputs: [
      ['Amount', transaction === null ? '' : `${transaction.amount} ${transaction.currency}`],
      ['BILL_ADDR_COUNTRY', text(request, 'BILL_ADDR_COUNTRY')],
    ],
    passed: 'No limit or demand of the merchant account declined the payment.',
    decided: `${decided} No bank was asked.`,
    approve,
  }
}
