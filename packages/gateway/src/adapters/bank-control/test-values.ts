import { z } from 'zod'
import { invariant } from '../../base/invariant.ts'
import type {
  PublishedTestValue,
  TestValueAnswer,
  TestValuePayment,
} from '../../domain/banks/test-value.ts'
import { findCurrency } from '../../domain/currency.ts'
import {
  retryAdvice,
  type DeclinedPayment,
  type RetryAdvice,
} from '../../domain/memberships/retry-advice.ts'
import { cardBrand } from '../../domain/payments/card.ts'
import { REFUSED_PART } from '../../domain/payments/partial-approval.ts'
import { serviceAdvice } from '../../domain/payments/service-codes.ts'
import { declineCodeOf, processorCodeOf } from '../processor-iso8583/response-codes.ts'

const CODE = z.object({ code: z.string(), text: z.string().optional() })
const ANSWER = z.object({
  outcome: z.enum(['approved', 'declined', 'failed']),
  responseCode: z.string(),
  approved: z.string().optional(),
  processor: CODE.optional(),
  issuer: CODE.optional(),
  avs: z.string().optional(),
  cvv: z.string().optional(),
  merchantAdvice: z.string().optional(),
  balance: z.string().optional(),
})
const PAYMENT = z.object({
  amount: z.string().optional(),
  currency: z.string().optional(),
  pan: z.string().optional(),
  expiry: z.string().optional(),
  securityCode: z.string().optional(),
  address: z.object({ street: z.string(), postalCode: z.string() }).optional(),
  acceptsPartial: z.literal(true).optional(),
  isMerchantInitiated: z.literal(true).optional(),
  cavv: z.string().optional(),
})

const PRODUCT = z.object({
  detail: z.enum(['CREDIT', 'DEBIT']),
  type: z.string(),
  class: z.string(),
  prepaid: z.boolean(),
  country: z.string(),
  bank: z.string(),
  networkToken: z
    .literal(true)
    .optional()
    .transform((value) => value === true),
})

/** The values as the bank publishes them. */
export const BANK_VALUES = z.array(
  z.object({
    kind: z.string(),
    value: z.string(),
    meaning: z.string(),
    product: PRODUCT.optional(),
    trials: z.array(
      z.object({
        when: z.string(),
        runs: z.string(),
        payment: PAYMENT.nullable(),
        answer: ANSWER.nullable(),
      }),
    ),
  }),
)

type BankAnswer = z.infer<typeof ANSWER>

/** The bank's values with the gateway's codes, by the tables that read the bank's answers. */
export function withGatewayCodes(
  values: z.infer<typeof BANK_VALUES>,
): readonly PublishedTestValue[] {
  return values.map((value) => ({
    ...value,
    trials: value.trials.map(({ answer, payment, ...trial }) => ({
      ...trial,
      payment,
      answer: answer === null || payment === null ? null : answerOf(answer, payment),
    })),
  }))
}

const NO_CODE = { code: '', text: '' }
const APPROVED = { code: 100, text: '' }
const UNKNOWN_OUTCOME = 502
const PARTIAL_REFUSED = 660
/** DE 39 of a partial approval, which declines where it is not accepted. */
const PARTIAL = '10'

function answerOf(answer: BankAnswer, payment: TestValuePayment): TestValueAnswer {
  const { outcome, responseCode, approved = null, avs = null, cvv = null } = answer
  const { balance = null } = answer
  const facts = { outcome, responseCode, approved, avs, cvv, balance }
  const silent = { processor: NO_CODE, issuer: NO_CODE, merchantAdvice: '', retry: null }
  if (outcome === 'approved') return { ...facts, ...silent, service: APPROVED }
  if (outcome === 'failed') return { ...facts, ...silent, service: service(UNKNOWN_OUTCOME) }
  const brand = cardBrand(payment.pan ?? '4')
  const { processorAdvice, processorCode } =
    responseCode === PARTIAL
      ? REFUSED_PART
      : processorCodeOf(responseCode, {
          code: answer.processor?.code,
          text: answer.processor?.text,
        })
  const isAuthenticated = payment.cavv !== undefined
  const serviceCode =
    responseCode === PARTIAL
      ? PARTIAL_REFUSED
      : declineCodeOf(processorCode, responseCode, { brand, isAuthenticated })
  const merchantAdvice = answer.merchantAdvice ?? ''
  return {
    ...facts,
    service: service(serviceCode),
    processor: { code: processorCode, text: processorAdvice },
    issuer: { code: answer.issuer?.code ?? '', text: answer.issuer?.text ?? '' },
    merchantAdvice,
    retry: retryKind({ brand, responseCode, serviceCode, merchantAdvice }),
  }
}

function service(code: number): { readonly code: number; readonly text: string } {
  return { code, text: serviceAdvice(code) }
}

/** The networks' rules that are recorded last hold for the list. */
const LATEST_RULES = new Date('2100-01-01')

/** The kind depends on neither the amount nor the time of a payment. */
function retryKind(decline: Omit<DeclinedPayment, 'amount' | 'at'>): RetryAdvice['kind'] {
  const currency = findCurrency('USD')
  invariant(currency !== null, 'the US dollar is not known')
  return retryAdvice({ ...decline, amount: { minor: 1n, currency }, at: LATEST_RULES }).kind
}
