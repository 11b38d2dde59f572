import type { ChangeMembership } from '../../usecases/memberships/change-membership.ts'
import type { MembershipStore } from '../../usecases/memberships/membership-store.ts'
import type { AdjustNamedOrder } from '../../usecases/payments/adjust-named-order.ts'
import type { AdjustmentResult } from '../../usecases/payments/adjustment-command.ts'
import type { ReadOrder, UpdateOrder } from '../../usecases/payments/order-status.ts'
import type { PaymentDone, TakePayment } from '../../usecases/payments/payment-command.ts'
import { readAdjustmentRequest } from './adjustment-request.ts'
import type { WireAnswer, Echo } from './answer.ts'
import { readPaymentRequest, type PaymentOperation } from './authorization-request.ts'
import { nameOfField } from './field-names.ts'
import { followUpHeaders } from './follow-up-fields.ts'
import { MEMBERSHIP_REFUSALS, membershipAnswer } from './membership-record.ts'
import { readMembershipRequest } from './membership-request.ts'
import type { Operation } from './parameters.ts'
import type { ActionRequest } from './reading.ts'
import { membershipRefusalAnswer, refusalAnswer } from './refusal-record.ts'
import type { RefusalName } from './refusals.ts'
import { REFUSALS } from './refusals.ts'
import { KEY_PARAMETER } from './repeatable-request.ts'
import { faultOfAmount } from './shop-faults.ts'
import { statusAnswer } from './status-record.ts'
import { readStatusRequest, readUpdateRequest } from './status-request.ts'
import { threeDsWarnings } from './three-ds-request.ts'
import { transactionAnswer } from './transaction-record.ts'

/** The dependencies of the actions; each is one use case. */
export interface ActionDeps {
  readonly takePayment: TakePayment
  readonly adjustOrder: AdjustNamedOrder
  readonly changeMembership: ChangeMembership
  readonly findMembership: MembershipStore['find']
  readonly readOrder: ReadOrder
  readonly updateOrder: UpdateOrder
}

export type ActionOperation = Exclude<Operation, 'test_auth' | 'test_gateway'>

/** Carries out one action of an authenticated API user, and answers with its result. */
export async function perform(
  deps: ActionDeps,
  operation: ActionOperation,
  request: ActionRequest,
  echo: Echo,
): Promise<WireAnswer> {
  const refuse = (name: RefusalName, field: string) => refusalAnswer(REFUSALS[name], field, echo)
  switch (operation) {
    case 'authorization':
    case 'sale':
    case 'unreferenced_credit':
      return pay(deps, operation, request, refuse)
    case 'capture':
    case 'refund':
    case 'void':
    case 'capture_void': {
      const reading = readAdjustmentRequest(request, operation)
      if (reading.kind === 'refused') return refuse(reading.name, reading.field)
      const result = await deps.adjustOrder(reading.command)
      switch (result.kind) {
        case 'done':
          return doneAnswer(result, request)
        case 'refused':
          return refuse(result.refusal, '')
        case 'key_reused':
          return refuse('idempotency_key_reused', KEY_PARAMETER)
        case 'ambiguous':
          return refuse('order_ambiguous', 'REQUEST_REF_PO_ID_XTL')
        case 'invalid': {
          const { name, field } = INVALID_ADJUSTMENTS[result.reason]
          return refuse(name, field)
        }
      }
    }
    case 'dispute_alert':
      return refuse('rapid_resolution_off', '')
    case 'status':
      return listEvents(deps, request, refuse)
    case 'update_transaction':
      return updateOrder(deps, request, refuse)
    case 'update_membership':
    case 'cancel_membership': {
      const reading = readMembershipRequest(request, operation)
      if (reading.kind === 'refused') {
        return membershipRefusalAnswer(REFUSALS[reading.name], reading.field, echo)
      }
      const result = await deps.changeMembership(reading.command)
      if (result.kind === 'done')
        return membershipAnswer(result.membership, reading.command.kind, echo)
      const { name, field } = MEMBERSHIP_REFUSALS[result.refusal]
      return membershipRefusalAnswer(REFUSALS[name], field, echo)
    }
  }
}

type Refuse = (name: RefusalName, field: string) => WireAnswer

async function pay(
  deps: ActionDeps,
  operation: PaymentOperation,
  request: ActionRequest,
  refuse: Refuse,
): Promise<WireAnswer> {
  const reading = readPaymentRequest(request, operation)
  if (reading.kind === 'refused') return refuse(reading.name, reading.field)
  const result = await deps.takePayment(reading.command)
  if (result.kind === 'refused') return refuse(result.refusal, nameOfField(result.field))
  const warnings = threeDsWarnings(reading.command.threeDs)
  const answer = { ...doneAnswer(result, request), warnings }
  const delivery = answer.isRepeated === true ? null : faultOfAmount(reading.command)
  return delivery === null ? answer : { ...answer, delivery }
}

async function listEvents(
  deps: ActionDeps,
  request: ActionRequest,
  refuse: Refuse,
): Promise<WireAnswer> {
  const reading = readStatusRequest(request)
  if (reading.kind === 'refused') return refuse(reading.name, reading.field)
  const { selector, field, withFollowUp } = reading.command
  const { site } = request
  const ofMembership = selector.by === 'membership'
  const membership = ofMembership ? await deps.findMembership(site, selector.membershipId) : null
  const found = await deps.readOrder(site, selector)
  return found === null
    ? refuse('order_unknown', field)
    : statusAnswer(found, membership, withFollowUp)
}

async function updateOrder(
  deps: ActionDeps,
  request: ActionRequest,
  refuse: Refuse,
): Promise<WireAnswer> {
  const reading = readUpdateRequest(request)
  if (reading.kind === 'refused') return refuse(reading.name, reading.field)
  const { selector, field, ...update } = reading.command
  const found = await deps.updateOrder(request.site, selector, update)
  return found === null ? refuse('order_unknown', field) : statusAnswer(found, null, false)
}

function doneAnswer(
  { replayed, repeated, transaction }: PaymentDone,
  { requestId }: ActionRequest,
): WireAnswer {
  const headers = followUpHeaders(transaction.followUp)
  const answer = { ...transactionAnswer(transaction, requestId), headers }
  if (replayed !== true) return repeated === true ? { ...answer, isRepeated: true } : answer
  return { ...answer, headers: { ...headers, ...REPLAYED }, isRepeated: true }
}

const REPLAYED = { 'idempotency-replayed': 'true' }

type InvalidReason = Extract<AdjustmentResult, { kind: 'invalid' }>['reason']

/** Faults in the form of a request that only the order shows. */
const INVALID_ADJUSTMENTS: Readonly<
  Record<InvalidReason, { readonly name: RefusalName; readonly field: string }>
> = {
  line_mismatch: { name: 'line_mismatch', field: 'REQUEST_REF_PO_LI_ID' },
  currency_mismatch: { name: 'currency_mismatch', field: 'REQUEST_CURRENCY' },
  amount_not_numeric: { name: 'value_not_numeric', field: 'LI_VALUE_1' },
  amount_too_long: { name: 'value_length_invalid', field: 'LI_VALUE_1' },
}
