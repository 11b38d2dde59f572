import { IconHistory, IconUserShield, IconUsers } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Section } from '../shell/section.ts'
import { shellRoute } from '../shell/shell-route.tsx'
import { readAuditSearch } from './audit-search.ts'

const under = { getParentRoute: () => shellRoute }

// Apart from the section, whose type would make their types wide.
const routes = [
  createRoute({
    ...under,
    path: '/users',
    component: lazyRouteComponent(() => import('./portal-users-page.tsx'), 'PortalUsersPage'),
  }),
  createRoute({
    ...under,
    path: '/roles',
    component: lazyRouteComponent(() => import('./roles-page.tsx'), 'RolesPage'),
  }),
  createRoute({
    ...under,
    path: '/audit',
    validateSearch: readAuditSearch,
    component: lazyRouteComponent(() => import('./audit-page.tsx'), 'AuditPage'),
  }),
  createRoute({
    ...under,
    path: '/account',
    component: lazyRouteComponent(() => import('./account-page.tsx'), 'AccountPage'),
  }),
  createRoute({
    ...under,
    path: '/invitation',
    component: lazyRouteComponent(() => import('./invitation-page.tsx'), 'InvitationPage'),
  }),
] as const

export const portalUsersSection = {
  title: 'Settings',
  entries: [
    { label: 'Portal users', path: '/users', icon: IconUsers, right: 'portal_users.see' },
    { label: 'Roles', path: '/roles', icon: IconUserShield, right: 'portal_users.see' },
    { label: 'Audit log', path: '/audit', icon: IconHistory, right: 'audit.see' },
  ],
  routes,
} as const satisfies Section
