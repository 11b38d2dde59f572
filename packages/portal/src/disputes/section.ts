import { IconGavel } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Section } from '../shell/section.ts'
import { shellRoute } from '../shell/shell-route.tsx'
import { searchOf } from './dispute-search.ts'

const getParentRoute = () => shellRoute

const listRoute = createRoute({
  getParentRoute,
  path: '/disputes',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('./disputes-page.tsx'), 'DisputesPage'),
})

const monitoringRoute = createRoute({
  getParentRoute,
  path: '/dispute-monitoring',
  component: lazyRouteComponent(() => import('./monitoring-page.tsx'), 'MonitoringPage'),
})

const disputeRoute = createRoute({
  getParentRoute,
  path: '/disputes/$disputeId',
  component: lazyRouteComponent(() => import('./dispute-page.tsx'), 'DisputePage'),
})

export const disputesSection = {
  title: 'Money',
  entries: [{ label: 'Disputes', path: '/disputes', icon: IconGavel, right: 'disputes.see' }],
  routes: [listRoute, monitoringRoute, disputeRoute],
} as const satisfies Section
