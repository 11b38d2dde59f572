import { invariant } from '../../base/invariant.ts'
import type { OrderSelector, ReadOrder } from '../../usecases/payments/order-status.ts'
import type { ActionRequest, Reading } from './reading.ts'
import { missing, refused } from './reading.ts'
import { isSent, readRequest, type SentRequest } from './sent-request.ts'
import { MERCHANT_FIELD } from './wide-site.ts'

/** The subject of a CCSTATUS: orders, or a membership with its charges. */
export interface StatusRequest {
  readonly selector: Parameters<ReadOrder>[1]
  /** The parameter that named it. */
  readonly field: string
  /** Whether the columns about the card's next payment are wanted. */
  readonly withFollowUp: boolean
}

/** Reads CCSTATUS. The first that was sent decides: the order's id, its reference, a membership. */
export function readStatusRequest({ params }: ActionRequest): Reading<StatusRequest> {
  const { sent, faults } = readRequest(params, 'status')
  if (!namesOrder(sent) && !isSent(sent, 'REQUEST_REF_MBSHP_ID')) return missing(ORDER)
  const [fault] = faults
  if (fault !== undefined) return refused(fault.name, fault.field)
  const withFollowUp = sent.REQUEST_RETRY_ADVICE ?? false
  if (namesOrder(sent)) {
    return { kind: 'command', command: { ...orderNamed(sent), withFollowUp } }
  }
  const membershipId = sent.REQUEST_REF_MBSHP_ID
  invariant(membershipId !== undefined, 'CCSTATUS came past the checks without a subject')
  const selector = { by: 'membership', membershipId } as const
  const field = 'REQUEST_REF_MBSHP_ID'
  return { kind: 'command', command: { selector, field, withFollowUp } }
}

export interface OrderUpdate {
  readonly selector: OrderSelector
  readonly field: string
  readonly receipt: string | null
  readonly membershipReference: string | null
  /** The merchant's own fields, by name. */
  readonly fields: Readonly<Record<string, string>>
}

/** Reads CCTRANSUPDATE. The order's own id decides when both names are sent. */
export function readUpdateRequest({ params }: ActionRequest): Reading<OrderUpdate> {
  const { sent, faults } = readRequest(params, 'update_transaction')
  if (!namesOrder(sent)) return missing(ORDER)
  const receipt = sent.TRANS_CUSTOMER_RECEIPT ?? null
  const membershipReference = sent.MBSHP_ID_XTL ?? null
  const fields = merchantFields(sent)
  const isEmpty = Object.keys(fields).length === 0
  if (receipt === null && membershipReference === null && isEmpty) {
    return missing('TRANS_CUSTOMER_RECEIPT')
  }
  const [fault] = faults
  if (fault !== undefined) return refused(fault.name, fault.field)
  const update = { ...orderNamed(sent), receipt, membershipReference, fields }
  return { kind: 'command', command: update }
}

function merchantFields({ orderFields }: SentRequest): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(orderFields).filter(([name]) => MERCHANT_FIELD.test(name)),
  )
}

const ORDER = 'REQUEST_REF_PO_ID'
const REFERENCE = 'REQUEST_REF_PO_ID_XTL'

function namesOrder(sent: SentRequest): boolean {
  return isSent(sent, ORDER) || sent[REFERENCE] !== undefined
}

function orderNamed(sent: SentRequest): Pick<OrderUpdate, 'selector' | 'field'> {
  const orderId = sent[ORDER] ?? null
  return orderId === null
    ? { selector: { by: 'reference', reference: sent[REFERENCE] ?? '' }, field: REFERENCE }
    : { selector: { by: 'id', orderId }, field: ORDER }
}
