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

const BY_LIMIT: Readonly<Record<number, { readonly decided: string; readonly approve: string }>> = {
  201: {
    decided: 'The merchant account takes or refuses certain countries, and none was sent.',
    approve: 'Send BILL_ADDR_COUNTRY.',
  },
  215: {
    decided: 'The payments of this day have reached the limit of the merchant account.',
    approve: 'Try again tomorrow, or ask the operator for a higher limit.',
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

/** The operator's limits for the merchant account. */
export function lookAtLimits({ request, transaction }: WhyFacts): Looked {
  const { decided = '', approve = null } = BY_LIMIT[transaction?.serviceCode ?? 0] ?? {}
  return {
    inputs: [
      ['Amount', transaction === null ? '' : `${transaction.amount} ${transaction.currency}`],
      ['BILL_ADDR_COUNTRY', text(request, 'BILL_ADDR_COUNTRY')],
    ],
    passed: 'No limit of the merchant account declined the payment.',
    decided: `${decided} No bank was asked.`,
    approve,
  }
}
