import { createRouter } from '@tanstack/react-router'
import { batchesSection } from '../batches/section.ts'
import { customersSection } from '../customers/section.ts'
import { developerSection } from '../developer/section.ts'
import { differencesSection } from '../differences/section.ts'
import { disputesSection } from '../disputes/section.ts'
import { homeSection } from '../home/section.ts'
import { orderSection } from '../order/section.ts'
import { ordersSection } from '../orders/section.ts'
import { payoutsSection } from '../payouts/section.ts'
import { settingsSection } from '../settings/section.ts'
import { portalUsersSection } from '../users/section.ts'
import { webhooksSection } from '../webhooks/section.ts'
import { NotFound } from './not-found.tsx'
import { PageFault } from './page-fault.tsx'
import { shellRoute } from './shell-route.tsx'

/**
 * Pages of every section, below the shell that all of them share. Each is named, so that the
 * compiler knows every address that a link may lead to, with its parameters and its search.
 */
export const router = createRouter({
  routeTree: shellRoute.addChildren([
    ...homeSection.routes,
    ...ordersSection.routes,
    ...orderSection.routes,
    ...customersSection.routes,
    ...batchesSection.routes,
    ...payoutsSection.routes,
    ...differencesSection.routes,
    ...disputesSection.routes,
    ...settingsSection.routes,
    ...webhooksSection.routes,
    ...portalUsersSection.routes,
    ...developerSection.routes,
  ]),
  basepath: '/portal',
  defaultPreload: 'intent',
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: PageFault,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
