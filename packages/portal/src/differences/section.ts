import { IconFileDiff } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Section } from '../shell/section.ts'
import { shellRoute } from '../shell/shell-route.tsx'
import { searchOf } from './difference-search.ts'

const getParentRoute = () => shellRoute

const listRoute = createRoute({
  getParentRoute,
  path: '/settlement-differences',
  validateSearch: searchOf,
  component: lazyRouteComponent(() => import('./differences-page.tsx'), 'DifferencesPage'),
})

const differenceRoute = createRoute({
  getParentRoute,
  path: '/settlement-differences/$differenceId',
  component: lazyRouteComponent(() => import('./difference-page.tsx'), 'DifferencePage'),
})

export const differencesSection = {
  title: 'Money',
  entries: [
    {
      label: 'Settlement differences',
      path: '/settlement-differences',
      icon: IconFileDiff,
      right: 'recon.see',
    },
  ],
  routes: [listRoute, differenceRoute],
} as const satisfies Section
