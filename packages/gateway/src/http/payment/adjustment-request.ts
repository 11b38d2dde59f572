import { invariant } from '../../base/invariant.ts'
import type { AdjustmentCommand } from '../../usecases/payments/adjustment-command.ts'
import { findFormFault } from './parameter-checks.ts'
import { lineNumberOf } from './parameter-names.ts'
import type { ActionRequest, Reading, RefusedReading } from './reading.ts'
import { missing, readId, refused } from './reading.ts'

/**
 * Reads CCCAPTURE, CCCREDIT, CCREVERSE and CCREVERSECAP. The decimals of the amount are judged by
 * the order's currency, which only the use case knows.
 */
export function readAdjustmentRequest(
  request: ActionRequest,
  operation: AdjustmentCommand['kind'],
): Reading<AdjustmentCommand> {
  const { params } = request
  const absent = missingParameter(request, operation)
  if (absent !== null) return absent
  const fault = findFormFault(params, operation) ?? furtherAmount(params)
  if (fault !== null) return refused(fault.name, fault.field)

  const orderId = readId(params, 'REQUEST_REF_PO_ID')
  invariant(orderId !== null, 'An adjustment came past the checks without an order.')
  const command: AdjustmentCommand = {
    kind: operation,
    requestId: request.requestId,
    site: request.site,
    orderId,
    lineId: readId(params, 'REQUEST_REF_PO_LI_ID'),
    amount: params.get('LI_VALUE_1') ?? null,
    currencyCode: params.get('REQUEST_CURRENCY')?.toUpperCase() ?? null,
    creditOnFail: params.get('CREDIT_ON_FAIL') === '1' && isVoid(operation),
  }
  return { kind: 'command', command }
}

function missingParameter(
  { params, site }: ActionRequest,
  operation: AdjustmentCommand['kind'],
): RefusedReading | null {
  if (!params.has('REQUEST_REF_PO_ID')) {
    const line = 'REQUEST_REF_PO_LI_ID'
    return params.has(line) ? refused('value_invalid', line) : missing('REQUEST_REF_PO_ID')
  }
  if (params.has('LI_VALUE_1') || isVoid(operation) || site.tolerance === 'wide') return null
  return missing('LI_VALUE_1')
}

/** An adjustment has one amount; leaving out a second one would move less than was asked for. */
function furtherAmount(
  params: ReadonlyMap<string, string>,
): { readonly name: 'value_invalid'; readonly field: string } | null {
  for (const field of params.keys()) {
    if (field.startsWith('LI_VALUE_') && lineNumberOf(field) !== 1) {
      return { name: 'value_invalid', field }
    }
  }
  return null
}

function isVoid(operation: AdjustmentCommand['kind']): boolean {
  return operation === 'void' || operation === 'void_capture'
}
