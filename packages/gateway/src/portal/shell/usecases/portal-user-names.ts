import { portalUserActor, portalUserObject, type PortalUser } from './portal-user.ts'
import type { AuditNames } from './sign-in-ports.ts'

/** How the audit log names portal users and their sign-ins. */
export const PORTAL_USER_NAMES: AuditNames<PortalUser> = {
  entry: (portalUser, operation, address, details) => ({
    actor: portalUserActor(portalUser),
    operation: `portal_user.${operation}`,
    object: portalUserObject(portalUser),
    merchantId: portalUser.merchantId,
    address,
    result: 'done',
    details,
  }),
}
