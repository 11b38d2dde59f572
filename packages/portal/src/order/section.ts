import { IconCreditCardPay } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Section } from '../shell/section.ts'
import { shellRoute } from '../shell/shell-route.tsx'

const orderRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/orders/$orderId',
  component: lazyRouteComponent(() => import('./order-page.tsx'), 'OrderPage'),
  validateSearch: (search: Readonly<Record<string, unknown>>): { readonly timeline?: 'oldest' } =>
    search['timeline'] === 'oldest' ? { timeline: 'oldest' } : {},
})

const terminalRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/terminal',
  component: lazyRouteComponent(() => import('./terminal-page.tsx'), 'TerminalPage'),
})

export const orderSection: Section = {
  title: null,
  entries: [{ label: 'Virtual terminal', path: '/terminal', icon: IconCreditCardPay, right: 'terminal.use' }],
  routes: [orderRoute, terminalRoute],
}
