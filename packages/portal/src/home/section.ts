import { IconHome, IconHourglass } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Section } from '../shell/section.ts'
import { shellRoute } from '../shell/shell-route.tsx'

type Range = '24h' | '7d' | '30d' | '12m'
const RANGES: readonly unknown[] = ['24h', '7d', '30d', '12m']

const homeRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/',
  validateSearch: (search): { readonly range?: Range; readonly table?: true } => ({
    ...(RANGES.includes(search['range']) ? { range: search['range'] as Range } : {}),
    ...(search['table'] === true ? { table: true } : {}),
  }),
  component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
})

const openAuthorizationsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/open-authorizations',
  validateSearch: (search): { readonly soon?: true } =>
    search['soon'] === true ? { soon: true } : {},
  component: lazyRouteComponent(
    () => import('./open-authorizations-page.tsx'),
    'OpenAuthorizationsPage',
  ),
})

export const homeSection = {
  title: null,
  entries: [
    { label: 'Home', path: '/', icon: IconHome, right: 'home.see' },
    {
      label: 'Open authorizations',
      path: '/open-authorizations',
      icon: IconHourglass,
      right: 'orders.see',
    },
  ],
  routes: [homeRoute, openAuthorizationsRoute],
} as const satisfies Section
