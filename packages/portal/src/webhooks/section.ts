import { IconWebhook } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Section } from '../shell/section.ts'
import { shellRoute } from '../shell/shell-route.tsx'
import { readDeliverySearch } from './delivery-search.ts'

const endpointsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/webhooks',
  component: lazyRouteComponent(() => import('./endpoints-page.tsx'), 'EndpointsPage'),
})

const endpointRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/webhooks/$endpointId',
  component: lazyRouteComponent(() => import('./endpoint-page.tsx'), 'EndpointPage'),
})

const deliveriesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/webhooks/deliveries',
  validateSearch: readDeliverySearch,
  component: lazyRouteComponent(() => import('./deliveries-page.tsx'), 'DeliveriesPage'),
})

const deliveryRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/webhooks/deliveries/$deliveryId',
  component: lazyRouteComponent(() => import('./delivery-page.tsx'), 'DeliveryPage'),
})

export const webhooksSection = {
  title: 'Settings',
  entries: [
    {
      label: 'Webhooks',
      path: '/settings/webhooks',
      icon: IconWebhook,
      right: 'settings.see',
    },
  ],
  routes: [endpointsRoute, endpointRoute, deliveriesRoute, deliveryRoute],
} as const satisfies Section
