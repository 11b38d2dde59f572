import type { MembershipCommand } from '../../usecases/memberships/change-membership.ts'
import type { ActionRequest, Reading } from './reading.ts'
import { missing, refused } from './reading.ts'
import { isSent, readRequest } from './sent-request.ts'

/** Reads SUB_UPDATE and SUB_CANCEL. */
export function readMembershipRequest(
  { params, site, userId }: ActionRequest,
  operation: 'update_membership' | 'cancel_membership',
): Reading<MembershipCommand> {
  const { sent, faults } = readRequest(params, operation)
  if (!isSent(sent, 'REQUEST_REF_MBSHP_ID')) return missing('REQUEST_REF_MBSHP_ID')
  const changes = isSent(sent, 'SUB_UPDATE_PROD_ID') || isSent(sent, 'SUB_UPDATE_PMT_ID')
  if (operation === 'update_membership' && !changes) return missing('SUB_UPDATE_PROD_ID')
  const [fault] = faults
  if (fault !== undefined) return refused(fault.name, fault.field)
  const about = {
    apiUserId: userId,
    site,
    membershipId: sent.REQUEST_REF_MBSHP_ID ?? 0n,
    customerId: sent.CUST_ID ?? null,
  }
  if (operation === 'update_membership') {
    const productId = sent.SUB_UPDATE_PROD_ID ?? null
    const cardId = sent.SUB_UPDATE_PMT_ID ?? null
    return { kind: 'command', command: { ...about, kind: 'update', productId, cardId } }
  }
  const when = sent.SUB_CANCEL_TYPE === '1' ? 'now' : 'at_rebill'
  return { kind: 'command', command: { ...about, kind: 'cancel', when } }
}
