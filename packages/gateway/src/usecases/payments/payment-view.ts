import { findCurrency } from '../../domain/currency.ts'
import { formatMinor } from '../../domain/money.ts'
import { followUpOf, keptUpdate, type FollowUp } from './follow-up.ts'
import type { BankFacts, PaymentConclusion, PaymentIntent, SavedCard } from './payment-store.ts'
import type { Resolved } from './resolve-payment.ts'
import { cardView, conversionView, resultCodes, type TransactionView } from './transaction-view.ts'

/** The merchant's view of a payment that has just ended, from what was written of it. */
export function paymentView(
  payment: Resolved,
  intent: PaymentIntent,
  ended: {
    readonly state: 'approved' | 'declined' | 'failed'
    readonly valueMinor: bigint
    readonly serviceCode: number
    readonly bank: BankFacts
    readonly batchId: bigint | null
    readonly lineAmounts: PaymentConclusion['lineAmounts']
    readonly memberships: PaymentConclusion['memberships']
    readonly retrievalReference: string
  },
): TransactionView {
  const { currency, command } = payment
  const { bank, state } = ended
  const sign = command.kind === 'refund' ? -1n : 1n
  const valueMinor = sign * ended.valueMinor
  const settledCurrency = bank.settled === null ? null : findCurrency(bank.settled.currency)
  return {
    kind: command.kind,
    state,
    transactionId: intent.transactionId,
    orderId: intent.orderId,
    customerId: intent.customer.id,
    customerReference: payment.customer?.reference ?? command.customer.reference,
    orderReference: intent.reference,
    batchId: ended.batchId,
    processorName: intent.declinedServiceCode === null ? payment.account.processorName : '',
    merchantAccountId: payment.account.id,
    currency,
    valueMinor,
    conversion:
      state !== 'approved' || bank.settled === null || settledCurrency === null
        ? null
        : conversionView(valueMinor, currency, { ...bank.settled, currency: settledCurrency }),
    card: describeCard(payment, intent, bank),
    processorUdf1: intent.processorUdf1,
    processorUdf2: intent.processorUdf2,
    authCode: bank.authCode,
    retrievalReference: ended.retrievalReference,
    processorReference: bank.networkTransactionId,
    avsCode: bank.avsCode,
    cvvCode: bank.cvvCode,
    networkTransactionId: bank.networkTransactionId,
    codes: resultCodes(state, ended.serviceCode, bank),
    followUp: describeFollowUp(payment, intent, ended),
    lines: intent.lines.map((line, at) => ({
      id: line.id,
      count: line.count,
      amountMinor: sign * (ended.lineAmounts?.[at]?.amountMinor ?? line.amountMinor),
      product: line.product,
      membershipId:
        ended.memberships.find(({ lineId }) => lineId === line.id)?.id ?? line.membershipId,
    })),
    threeDs: null,
    createdAt: intent.at,
  }
}

function describeFollowUp(
  { command, currency, pan, saved }: Resolved,
  { at }: PaymentIntent,
  ended: {
    readonly state: 'approved' | 'declined' | 'failed'
    readonly serviceCode: number
    readonly bank: BankFacts
  },
): FollowUp {
  const { bank, serviceCode, state } = ended
  return followUpOf({
    isPayment: command.kind !== 'refund',
    state,
    brand: pan.brand,
    amount: { minor: command.totalMinor, currency },
    at,
    serviceCode,
    responseCode: bank.responseCode,
    merchantAdvice: bank.merchantAdvice,
    accountUpdate: keptUpdate(bank.cardUpdate?.result ?? null, saved !== null),
  })
}

function describeCard(
  { currency, saved }: Resolved,
  { card }: PaymentIntent,
  bank: BankFacts,
): TransactionView['card'] {
  return cardView({
    product: bank.cardProduct,
    balance: bank.cardBalanceMinor === null ? '' : formatMinor(bank.cardBalanceMinor, currency),
    brand: card.known ? (saved?.brand ?? '') : card.brand,
    last4: card.known ? last4Of(bank, saved) : card.last4,
    paymentMethodId: card.id,
    reference: card.reference ?? saved?.reference ?? '',
    update: cardUpdateView(bank, saved),
  })
}

/** The account update of this payment's answer, else of an earlier one. */
function cardUpdateView(
  { cardUpdate }: BankFacts,
  saved: SavedCard | null,
): { readonly on: string; readonly description: string } | null {
  if (saved === null) return null
  if (cardUpdate !== null && cardUpdate.description !== '') {
    return { on: cardUpdate.on ?? '', description: cardUpdate.description }
  }
  return saved.update
}

/** A card whose number has changed is shown by its new one. */
function last4Of({ cardUpdate }: BankFacts, saved: SavedCard | null): string {
  return cardUpdate?.number?.last4 ?? saved?.last4 ?? ''
}
