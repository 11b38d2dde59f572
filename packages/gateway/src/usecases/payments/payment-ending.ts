import type { Clock } from '../../base/clock.ts'
import { NO_CARD_PRODUCT } from '../../domain/payments/card-product.ts'
import { originalMti } from '../../domain/payments/original-message.ts'
import { decideApproval, reduceLines } from '../../domain/payments/partial-approval.ts'
import type { AuthorizationOutcome } from '../../domain/payments/processor-outcome.ts'
import type { ReversalReason } from '../../domain/payments/reversal-reason.ts'
import { decideVerification } from '../../domain/payments/verification.ts'
import { beginMemberships } from '../memberships/sold-memberships.ts'
import type { CardVault } from '../vault/card-vault.ts'
import { describeAccountUpdate } from './account-update.ts'
import { bankFacts, refusedPart } from './bank-facts.ts'
import { concludeClaim, type OrderClaim } from './claimed-reference.ts'
import { wholeSecond, type IdKind } from './payment-intent.ts'
import type { BankFacts, NewAdvice, PaymentConclusion, PaymentIntent } from './payment-store.ts'
import { effectiveAvsMode, effectiveCvvMode, type Resolved } from './resolve-payment.ts'

export interface ConclusionDeps {
  /** The machine's: messages to the bank are distinguished by it. */
  readonly clock: Clock
  readonly nextId: (kind: IdKind) => bigint | Promise<bigint>
  /** For a number that the account updater gives in place of a saved one. */
  readonly vault: CardVault
}

/** The facts of a payment that no bank answered. */
export const NO_BANK_FACTS: BankFacts = {
  responseCode: '',
  processorCode: '',
  processorAdvice: '',
  industryCode: '',
  industryAdvice: '',
  authCode: '',
  networkTransactionId: '',
  avsCode: '',
  cvvCode: '',
  merchantAdvice: '',
  cardUpdate: null,
  cardProduct: NO_CARD_PRODUCT,
  cardBalanceMinor: null,
  settled: null,
}

/** SERVICE codes that the gateway decides by itself. */
export const SERVICE = {
  approved: 100,
  outcomeUnknown: 502,
  processorUnavailable: 530,
  cvvFailed: 621,
  avsFailed: 623,
  partialApproval: 660,
} as const

/** How a payment ends. */
export interface Ending {
  readonly state: 'approved' | 'declined' | 'failed'
  readonly valueMinor: bigint
  readonly serviceCode: number
  readonly bank: BankFacts
  /** The bank may hold unwanted money, with the reason for its reversal. */
  readonly reversal: { readonly reason: ReversalReason; readonly amountMinor: bigint } | null
}

/** From the bank's answer and the merchant's rules to the merchant's answer. */
export function decideEnding(payment: Resolved, outcome: AuthorizationOutcome): Ending {
  const { totalMinor } = payment.command
  const failed = { state: 'failed', valueMinor: totalMinor, bank: NO_BANK_FACTS } as const
  switch (outcome.kind) {
    case 'not_sent':
      return { ...failed, serviceCode: SERVICE.processorUnavailable, reversal: null }
    case 'unknown':
      return {
        ...failed,
        serviceCode: SERVICE.outcomeUnknown,
        reversal: { reason: 'unknown_outcome', amountMinor: totalMinor },
      }
    case 'declined':
      return {
        state: 'declined',
        valueMinor: totalMinor,
        serviceCode: outcome.serviceCode,
        bank: bankFacts(outcome.answer),
        reversal: null,
      }
    case 'approved':
      return decideApproved(payment, outcome.approvedMinor, bankFacts(outcome.answer))
  }
}

function decideApproved(payment: Resolved, approvedMinor: bigint, bank: BankFacts): Ending {
  const { command } = payment
  const reversed = (serviceCode: number, reason: ReversalReason): Ending => ({
    state: 'declined',
    valueMinor: command.totalMinor,
    serviceCode,
    bank,
    reversal: { reason, amountMinor: approvedMinor },
  })
  const approval = decideApproval({
    requested: command.totalMinor,
    approved: approvedMinor,
    partialAllowed: command.partial.allowed,
    minimum: command.partial.minimumMinor,
  })
  if (approval === 'partial_refused') {
    return { ...reversed(SERVICE.partialApproval, 'partial_refused'), bank: refusedPart(bank) }
  }
  if (command.kind !== 'refund') {
    const verification = decideVerification({
      avsMode: effectiveAvsMode(payment),
      cvvMode: effectiveCvvMode(payment),
      avsSet: command.avsMatchSet ?? command.site.avsMatchSet,
      cvvSet: command.cvvMatchSet ?? command.site.cvvMatchSet,
      avsCode: bank.avsCode,
      cvvCode: bank.cvvCode,
    })
    if (verification === 'avs_failed') return reversed(SERVICE.avsFailed, 'avs_rule')
    if (verification === 'cvv_failed') return reversed(SERVICE.cvvFailed, 'cvv_rule')
  }
  return {
    state: 'approved',
    valueMinor: approvedMinor,
    serviceCode: SERVICE.approved,
    bank,
    reversal: null,
  }
}

/** The part of the intent that the conclusion needs. */
export interface Intended extends Pick<
  PaymentIntent,
  | 'transactionId'
  | 'orderId'
  | 'merchantId'
  | 'merchantAccountId'
  | 'siteId'
  | 'mode'
  | 'kind'
  | 'message'
  | 'expiresAt'
> {
  readonly lines: readonly { readonly id: bigint }[]
}

/** The rows written with the known ending, and the advice that follows from it. */
export async function describeConclusion(
  deps: ConclusionDeps,
  payment: Resolved,
  intent: Intended,
  ending: Ending,
  claim: OrderClaim,
): Promise<PaymentConclusion> {
  const { command } = payment
  const at = command.site.clock.now()
  const approved = ending.state === 'approved'
  const sells = approved && command.kind === 'sale'
  const reduced = approved && ending.valueMinor < command.totalMinor
  const begins = approved && payment.sells.length > 0
  const amounts = reduced
    ? reduceLines(
        command.lines.map((line) => line.amountMinor),
        ending.valueMinor,
      )
    : command.lines.map((line) => line.amountMinor)
  return {
    transactionId: intent.transactionId,
    orderId: intent.orderId,
    merchantId: intent.merchantId,
    merchantAccountId: intent.merchantAccountId,
    siteId: intent.siteId,
    mode: intent.mode,
    kind: intent.kind,
    state: ending.state,
    valueMinor: ending.valueMinor,
    serviceCode: ending.serviceCode,
    bank: ending.bank,
    expiresAt: approved ? intent.expiresAt : null,
    lineAmounts:
      sells || reduced || begins
        ? intent.lines.map((line, index) => ({ id: line.id, amountMinor: amounts[index] ?? 0n }))
        : null,
    advice: await describeAdvice(deps, intent, ending, sells),
    accountUpdate: await describeAccountUpdate(deps.vault, payment, ending.bank),
    memberships: begins ? await beginMemberships(deps, payment, intent.lines, amounts, at) : [],
    claim: concludeClaim(command, claim, ending),
    origin: null,
    at,
  }
}

async function describeAdvice(
  deps: ConclusionDeps,
  intent: Intended,
  ending: Ending,
  sells: boolean,
): Promise<NewAdvice | null> {
  if (!sells && ending.reversal === null) return null
  return {
    id: await deps.nextId('advice'),
    kind: sells ? 'capture' : 'reversal',
    amountMinor: ending.reversal?.amountMinor ?? ending.valueMinor,
    remainingMinor: null,
    reason: ending.reversal?.reason ?? null,
    original: { mti: originalMti(intent.kind), ...intent.message },
    message: {
      number: await deps.nextId('message'),
      at: wholeSecond(deps.clock.now()),
    },
  }
}
