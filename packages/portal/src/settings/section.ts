import { IconBuildingStore, IconKey } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent, type SearchSchemaInput } from '@tanstack/react-router'
import type { Section } from '../shell/section.ts'
import { shellRoute } from '../shell/shell-route.tsx'
import { readSiteTab } from './site-tabs.ts'

const sitesRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./sites-page.tsx'), 'SitesPage'),
})

const siteRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/sites/$siteId',
  validateSearch: (search: { readonly tab?: unknown } & SearchSchemaInput) => ({
    tab: readSiteTab(search.tab),
  }),
  component: lazyRouteComponent(() => import('./site-page.tsx'), 'SitePage'),
})

const apiUsersRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/settings/api-users',
  validateSearch: (search: Record<string, unknown>): { user?: string } =>
    typeof search['user'] === 'string' ? { user: search['user'] } : {},
  component: lazyRouteComponent(() => import('./api-users-page.tsx'), 'ApiUsersPage'),
})

export const settingsSection = {
  title: 'Settings',
  entries: [
    { label: 'Sites', path: '/settings', icon: IconBuildingStore, right: 'settings.see' },
    { label: 'API users', path: '/settings/api-users', icon: IconKey, right: 'settings.see' },
  ],
  routes: [sitesRoute, siteRoute, apiUsersRoute],
} as const satisfies Section
