import { readCancelType } from '../../domain/memberships/wishes.ts'
import type { MembershipCommand } from '../../usecases/memberships/change-membership.ts'
import { findFormFault } from './parameter-checks.ts'
import type { ActionRequest, Reading } from './reading.ts'
import { missing, readId, refused } from './reading.ts'

/** Reads SUB_UPDATE and SUB_CANCEL. */
export function readMembershipRequest(
  { params, site }: ActionRequest,
  operation: 'update_membership' | 'cancel_membership',
): Reading<MembershipCommand> {
  if (!params.has('REQUEST_REF_MBSHP_ID')) return missing('REQUEST_REF_MBSHP_ID')
  const changes = params.has('SUB_UPDATE_PROD_ID') || params.has('SUB_UPDATE_PMT_ID')
  if (operation === 'update_membership' && !changes) return missing('SUB_UPDATE_PROD_ID')
  const fault = findFormFault(params, operation)
  if (fault !== null) return refused(fault.name, fault.field)
  const about = {
    site,
    membershipId: readId(params, 'REQUEST_REF_MBSHP_ID') ?? 0n,
    customerId: readId(params, 'CUST_ID'),
  }
  if (operation === 'update_membership') {
    const productId = params.get('SUB_UPDATE_PROD_ID') ?? null
    const cardId = readId(params, 'SUB_UPDATE_PMT_ID')
    return { kind: 'command', command: { ...about, kind: 'update', productId, cardId } }
  }
  const when = readCancelType(params.get('SUB_CANCEL_TYPE'))
  if (when === null) return refused('value_invalid', 'SUB_CANCEL_TYPE')
  return { kind: 'command', command: { ...about, kind: 'cancel', when } }
}
