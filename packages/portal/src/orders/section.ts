import { IconArrowsExchange, IconReceipt } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Section } from '../shell/section.ts'
import { shellRoute } from '../shell/shell-route.tsx'

const anySearch = (search: Record<string, unknown>): Record<string, unknown> => search

// Apart from the section, whose type would make their types wide.
const routes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/orders',
    validateSearch: anySearch,
    component: lazyRouteComponent(() => import('./list-pages.tsx'), 'OrdersPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/transactions',
    validateSearch: anySearch,
    component: lazyRouteComponent(() => import('./list-pages.tsx'), 'TransactionsPage'),
  }),
] as const

export const ordersSection = {
  title: 'Orders',
  entries: [
    { label: 'Orders', path: '/orders', icon: IconReceipt, right: 'orders.see' },
    { label: 'Transactions', path: '/transactions', icon: IconArrowsExchange, right: 'orders.see' },
  ],
  routes,
} as const satisfies Section
