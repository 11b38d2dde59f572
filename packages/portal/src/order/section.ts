import { IconCreditCardPay } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { Section } from '../shell/section.ts'
import { shellRoute } from '../shell/shell-route.tsx'

interface TerminalSearch {
  readonly customer?: string
  readonly card?: string
  readonly mode?: 'test' | 'live'
}

function idOf(
  name: 'customer' | 'card',
  search: Readonly<Record<string, unknown>>,
): { readonly customer?: string; readonly card?: string } {
  const id = String(search[name])
  return /^\d{1,18}$/.test(id) ? { [name]: id } : {}
}

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
  // A saved card to begin with, as the page of its customer names it.
  validateSearch: (search: Readonly<Record<string, unknown>>): TerminalSearch => ({
    ...idOf('customer', search),
    ...idOf('card', search),
    ...(search['mode'] === 'live' || search['mode'] === 'test' ? { mode: search['mode'] } : {}),
  }),
})

export const orderSection = {
  title: 'Orders',
  entries: [
    {
      label: 'Virtual terminal',
      path: '/terminal',
      icon: IconCreditCardPay,
      right: 'terminal.use',
    },
  ],
  routes: [orderRoute, terminalRoute],
} as const satisfies Section
