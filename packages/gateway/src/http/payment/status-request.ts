import type { OrderSelector } from '../../usecases/payments/order-status.ts'
import type { ActionRequest, Reading } from './reading.ts'
import { missing, refused } from './reading.ts'
import { isSent, readRequest } from './sent-request.ts'

export interface StatusRequest {
  readonly selector: OrderSelector
  /** The parameter that named the order. */
  readonly field: string
  readonly receipt: string | null
  readonly membershipReference: string | null
}

/** Reads CCSTATUS and CCTRANSUPDATE. The order's own id decides when both names are sent. */
export function readStatusRequest(
  { params }: ActionRequest,
  operation: 'status' | 'update_transaction',
): Reading<StatusRequest> {
  const { sent, faults } = readRequest(params, operation)
  const reference = sent.REQUEST_REF_PO_ID_XTL
  if (!isSent(sent, 'REQUEST_REF_PO_ID') && reference === undefined) {
    return missing('REQUEST_REF_PO_ID')
  }
  const receipt = sent.TRANS_CUSTOMER_RECEIPT ?? null
  const membershipReference = sent.MBSHP_ID_XTL ?? null
  if (operation === 'update_transaction' && receipt === null && membershipReference === null) {
    return missing('TRANS_CUSTOMER_RECEIPT')
  }
  const [fault] = faults
  if (fault !== undefined) return refused(fault.name, fault.field)

  const orderId = sent.REQUEST_REF_PO_ID ?? null
  const selector: OrderSelector =
    orderId === null ? { by: 'reference', reference: reference ?? '' } : { by: 'id', orderId }
  const field = orderId === null ? 'REQUEST_REF_PO_ID_XTL' : 'REQUEST_REF_PO_ID'
  return { kind: 'command', command: { selector, field, receipt, membershipReference } }
}
