import type { OrderSelector } from '../../usecases/payments/order-status.ts'
import { findFormFault } from './parameter-checks.ts'
import { withoutPastedNumbers } from './pasted-numbers.ts'
import type { ActionRequest, Reading } from './reading.ts'
import { missing, readId, refused } from './reading.ts'

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
  const reference = params.get('REQUEST_REF_PO_ID_XTL')
  if (!params.has('REQUEST_REF_PO_ID') && reference === undefined) {
    return missing('REQUEST_REF_PO_ID')
  }
  const receipt = withoutPastedNumbers(params).get('TRANS_CUSTOMER_RECEIPT') ?? null
  const membershipReference = params.get('MBSHP_ID_XTL') ?? null
  if (operation === 'update_transaction' && receipt === null && membershipReference === null) {
    return missing('TRANS_CUSTOMER_RECEIPT')
  }
  const fault = findFormFault(params, operation)
  if (fault !== null) return refused(fault.name, fault.field)

  const orderId = readId(params, 'REQUEST_REF_PO_ID')
  const selector: OrderSelector =
    orderId === null ? { by: 'reference', reference: reference ?? '' } : { by: 'id', orderId }
  const field = orderId === null ? 'REQUEST_REF_PO_ID_XTL' : 'REQUEST_REF_PO_ID'
  return { kind: 'command', command: { selector, field, receipt, membershipReference } }
}
