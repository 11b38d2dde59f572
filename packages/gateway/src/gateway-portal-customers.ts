import type { PortalFoundation } from './gateway-portal.ts'
import type { PortalRoute } from './http/portal/portal-route.ts'

export function wireCustomers(_foundation: PortalFoundation): readonly PortalRoute[] {
  return []
}
