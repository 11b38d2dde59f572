import { findFormFault } from './parameter-checks.ts'
import type { ActionRequest, RefusedReading } from './reading.ts'
import { missing, refused } from './reading.ts'

/**
 * Reads SUB_UPDATE and SUB_CANCEL. No membership can exist in this version, so a request in good
 * order asks for one that is not there.
 */
export function readMembershipRequest(
  { params }: ActionRequest,
  operation: 'update_membership' | 'cancel_membership',
): RefusedReading {
  if (!params.has('REQUEST_REF_MBSHP_ID')) return missing('REQUEST_REF_MBSHP_ID')
  const changes = params.has('SUB_UPDATE_PROD_ID') || params.has('SUB_UPDATE_PMT_ID')
  if (operation === 'update_membership' && !changes) return missing('SUB_UPDATE_PROD_ID')
  const fault = findFormFault(params, operation)
  if (fault !== null) return refused(fault.name, fault.field)
  return refused('membership_not_found', '')
}
