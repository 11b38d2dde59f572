import type { PortalFoundation } from './gateway-portal.ts'
import type { PortalRoute } from './http/portal/portal-route.ts'

export function wireOrder(_foundation: PortalFoundation): readonly PortalRoute[] {
  return []
}
