import { invariant } from '../../base/invariant.ts'
import type { Site } from '../../usecases/merchants/merchant-directory.ts'
import type { NamedAdjustment } from '../../usecases/payments/adjust-named-order.ts'
import type { ActionRequest, Reading, RefusedReading } from './reading.ts'
import { missing, refused } from './reading.ts'
import { readRepeatable } from './repeatable-request.ts'
import { isSent, readRequest, type FaultyParameter, type SentRequest } from './sent-request.ts'

/**
 * Reads CCCAPTURE, CCCREDIT, CCREVERSE and CCREVERSECAP. The decimals of the amount are judged by
 * the order's currency, which only the use case knows.
 */
export function readAdjustmentRequest(
  request: ActionRequest,
  operation: NamedAdjustment['kind'],
): Reading<NamedAdjustment> {
  const reading = readRequest(request.params, operation)
  const { sent } = reading
  const absent = missingParameter(sent, request.site, operation)
  if (absent !== null) return absent
  const fault = reading.faults[0] ?? furtherAmount(sent)
  if (fault !== null) return refused(fault.name, fault.field)

  const orderId = sent.REQUEST_REF_PO_ID
  const reference = sent.REQUEST_REF_PO_ID_XTL
  const isNamed = orderId !== undefined || reference !== undefined
  invariant(isNamed, 'An adjustment came past the checks without an order.')
  const command: NamedAdjustment = {
    kind: operation,
    requestId: request.requestId,
    origin: 'api',
    apiUserId: request.userId,
    site: request.site,
    order:
      orderId === undefined
        ? { by: 'reference', reference: reference ?? '' }
        : { by: 'id', orderId },
    lineId: sent.REQUEST_REF_PO_LI_ID ?? null,
    amount: sent.lines.get(1)?.amount ?? null,
    currencyCode: sent.REQUEST_CURRENCY ?? null,
    refundOnFail: sent.CREDIT_ON_FAIL ?? false,
    repeatable: readRepeatable(request.params, operation),
    bankTest: request.bankTest,
  }
  return { kind: 'command', command }
}

function missingParameter(
  sent: SentRequest,
  site: Site,
  operation: NamedAdjustment['kind'],
): RefusedReading | null {
  if (!isSent(sent, 'REQUEST_REF_PO_ID') && !isSent(sent, 'REQUEST_REF_PO_ID_XTL')) {
    const line = 'REQUEST_REF_PO_LI_ID'
    return isSent(sent, line) ? refused('value_invalid', line) : missing('REQUEST_REF_PO_ID')
  }
  const isVoid = operation === 'void' || operation === 'capture_void'
  if (sent.lines.has(1) || isVoid || site.tolerance === 'wide') return null
  return missing('LI_VALUE_1')
}

/** An adjustment has one amount; ignoring a second one would move less than was requested. */
function furtherAmount({ lines }: SentRequest): FaultyParameter | null {
  for (const line of lines.keys()) {
    if (line !== 1) return { name: 'value_invalid', field: `LI_VALUE_${line}` }
  }
  return null
}
