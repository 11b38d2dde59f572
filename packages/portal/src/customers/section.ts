import { IconChartBar, IconPackage, IconRepeat, IconUsers } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Section } from '../shell/section.ts'
import { shellRoute } from '../shell/shell-route.tsx'
import { readCustomersSearch, readMembershipsSearch, readProductsSearch } from './searches.ts'

// Apart from the section, whose type would make their types wide.
const routes = [
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/customers',
    validateSearch: readCustomersSearch,
    component: lazyRouteComponent(() => import('./customers-page.tsx'), 'CustomersPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/customers/$customerId',
    component: lazyRouteComponent(() => import('./customer-page.tsx'), 'CustomerPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/products',
    validateSearch: readProductsSearch,
    component: lazyRouteComponent(() => import('./products-page.tsx'), 'ProductsPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/memberships',
    validateSearch: readMembershipsSearch,
    component: lazyRouteComponent(() => import('./memberships-page.tsx'), 'MembershipsPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/memberships/$membershipId',
    component: lazyRouteComponent(() => import('./membership-page.tsx'), 'MembershipPage'),
  }),
  createRoute({
    getParentRoute: () => shellRoute,
    path: '/renewals',
    component: lazyRouteComponent(() => import('./forecast-page.tsx'), 'ForecastPage'),
  }),
] as const

export const customersSection = {
  title: 'Customers',
  entries: [
    { label: 'Customers', path: '/customers', icon: IconUsers, right: 'customers.see' },
    { label: 'Products', path: '/products', icon: IconPackage, right: 'memberships.see' },
    { label: 'Memberships', path: '/memberships', icon: IconRepeat, right: 'memberships.see' },
    { label: 'Renewals', path: '/renewals', icon: IconChartBar, right: 'memberships.see' },
  ],
  routes,
} as const satisfies Section
