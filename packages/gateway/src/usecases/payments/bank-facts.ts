import { REFUSED_PART } from '../../domain/payments/partial-approval.ts'
import type { ProcessorAnswer } from '../../domain/payments/processor-outcome.ts'
import type { BankFacts } from './payment-store.ts'

/** The processor's answer as it is stored. */
export function bankFacts(answer: ProcessorAnswer): BankFacts {
  const { settled } = answer
  return {
    ...answer,
    settled:
      settled === null
        ? null
        : { minor: settled.minor, currency: settled.currency.code, rate: settled.rate },
  }
}

/** The facts of a partial approval that is refused, with a processor code if it has none. */
export function refusedPart(bank: BankFacts): BankFacts {
  return bank.processorCode === '' ? { ...bank, ...REFUSED_PART } : bank
}
