import {
  IconBuildingBank,
  IconClock,
  IconFlask,
  IconListSearch,
  IconRefresh,
  IconWebhook,
} from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Section } from '../shell/section.ts'
import { shellRoute } from '../shell/shell-route.tsx'

const anySearch = (search: Record<string, unknown>): Record<string, unknown> => search
const right = 'developer.see'

// Apart from the section, whose type would make their types wide.
const routes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/developer/requests',
    validateSearch: anySearch,
    component: lazyRouteComponent(() => import('./requests-page.tsx'), 'RequestsPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/developer/requests/diff',
    validateSearch: anySearch,
    component: lazyRouteComponent(() => import('./diff-page.tsx'), 'DiffPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/developer/requests/$requestId',
    component: lazyRouteComponent(() => import('./request-page.tsx'), 'RequestPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/developer/why/$transactionId',
    component: lazyRouteComponent(() => import('./why-page.tsx'), 'WhyTransactionPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/developer/requests/$requestId/why',
    component: lazyRouteComponent(() => import('./why-page.tsx'), 'WhyRequestPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/developer/test-values',
    validateSearch: anySearch,
    component: lazyRouteComponent(() => import('./test-values-page.tsx'), 'TestValuesPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/developer/bank',
    validateSearch: anySearch,
    component: lazyRouteComponent(() => import('./bank-page.tsx'), 'BankPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/developer/clock',
    validateSearch: anySearch,
    component: lazyRouteComponent(() => import('./clock-page.tsx'), 'ClockPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/developer/receiver',
    validateSearch: anySearch,
    component: lazyRouteComponent(() => import('../receiver/receiver-page.tsx'), 'ReceiverPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/developer/reset',
    validateSearch: anySearch,
    component: lazyRouteComponent(() => import('./reset-page.tsx'), 'ResetPage'),
  }),
] as const

export const developerSection = {
  title: 'Developers',
  entries: [
    {
      label: 'Request log',
      path: '/developer/requests',
      icon: IconListSearch,
      right,
      also: '/developer/why',
    },
    {
      label: 'Test values',
      path: '/developer/test-values',
      icon: IconFlask,
      right,
      sandboxOnly: true,
    },
    {
      label: 'Test bank',
      path: '/developer/bank',
      icon: IconBuildingBank,
      right,
      sandboxOnly: true,
    },
    { label: 'Clocks', path: '/developer/clock', icon: IconClock, right, sandboxOnly: true },
    {
      label: 'Webhook receiver',
      path: '/developer/receiver',
      icon: IconWebhook,
      right,
      sandboxOnly: true,
    },
    { label: 'Reset', path: '/developer/reset', icon: IconRefresh, right, sandboxOnly: true },
  ],
  routes,
} as const satisfies Section
