import type { Result } from '../../../base/refusal.ts'
import type { ConsoleRequester } from './console-operator.ts'
import type { NewLink } from './new-link.ts'
import { rightFault } from './operate-merchants.ts'
import type { OperatorsStore } from './operators-store.ts'
import { requestOperation } from './request-operation.ts'

/** `done` is false, and there is no link, where a second operator confirms first. */
type Reset = Result<{ readonly done: boolean; readonly link: NewLink | null }>

/**
 * Removes password and second factor of a portal user, and makes a link to set them again. The
 * holder of the link is that user, so a merchant with a live site needs a second operator, who gets
 * the link.
 */
export type ResetPortalUser = (
  requester: ConsoleRequester,
  id: bigint,
  reason: string,
) => Promise<Reset>

export function createResetPortalUser({
  transact,
}: Pick<OperatorsStore, 'transact'>): ResetPortalUser {
  return (requester, id, reason) =>
    transact(async (tx): Promise<Reset> => {
      const fault = await rightFault(tx, requester)
      if (fault !== null) return fault
      const held = await tx.portalUsers.lockForReset(id)
      if (!held.ok) return held
      const { merchantId, email, name, seen } = held.portalUser
      if ((await tx.countLiveSites(merchantId)) > 0) {
        const operation = { does: 'reset_portal_user', portalUserId: id, merchantId } as const
        const about = { label: `${name} (${email})`, seen, reason }
        return requestOperation(tx, requester, operation, about)
      }
      const reset = await tx.portalUsers.reset(id, requester)
      return reset.ok ? { ok: true, done: true, link: reset.link } : reset
    })
}
