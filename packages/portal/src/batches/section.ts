import { IconPackages, IconScale } from '@tabler/icons-react'
import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import type { BatchSettlement } from '@tollgate/portal-contract/answers/batches'
import type { Section } from '../shell/section.ts'
import { shellRoute } from '../shell/shell-route.tsx'

interface BatchSettlementSearch {
  readonly state?: BatchSettlement['state']
  readonly currency?: string
  readonly payout?: string
}

const getParentRoute = () => shellRoute

const batchesRoute = createRoute({
  getParentRoute,
  path: '/batches',
  validateSearch: (search): { readonly account?: string; readonly state?: 'open' | 'closed' } => ({
    ...(/^\d{1,15}$/.test(String(search['account'])) ? { account: String(search['account']) } : {}),
    ...(search['state'] === 'open' || search['state'] === 'closed'
      ? { state: search['state'] }
      : {}),
  }),
  component: lazyRouteComponent(() => import('./batches-page.tsx'), 'BatchesPage'),
})

const batchRoute = createRoute({
  getParentRoute,
  path: '/batches/$batchId',
  component: lazyRouteComponent(() => import('./batch-page.tsx'), 'BatchPage'),
})

const FORMS = {
  state: /^(settled|rejected|waiting)$/,
  currency: /^[A-Z]{3}$/,
  payout: /^[1-9]\d{0,14}$/,
} as const

const batchSettlementRoute = createRoute({
  getParentRoute,
  path: '/batches/$batchId/settlement',
  validateSearch: (search): BatchSettlementSearch =>
    Object.fromEntries(
      Object.entries(FORMS)
        .map(([name, form]) => [name, form, String(search[name])] as const)
        .filter(([, form, text]) => form.test(text))
        .map(([name, , text]) => [name, text]),
    ),
  component: lazyRouteComponent(() => import('./batch-settlement-page.tsx'), 'BatchSettlementPage'),
})

const reconciliationRoute = createRoute({
  getParentRoute,
  path: '/reconciliation',
  validateSearch: ({ show }): { readonly show?: 'resolved' | 'gone' | 'all' } =>
    show === 'resolved' || show === 'gone' || show === 'all' ? { show } : {},
  component: lazyRouteComponent(() => import('./reconciliation-page.tsx'), 'ReconciliationPage'),
})

const certificateRoute = createRoute({
  getParentRoute,
  path: '/reconciliation/runs/$runId',
  component: lazyRouteComponent(() => import('./certificate-page.tsx'), 'CertificatePage'),
})

export const batchesSection = {
  title: 'Money',
  entries: [
    { label: 'Batches', path: '/batches', icon: IconPackages, right: 'batches.see' },
    { label: 'Reconciliation', path: '/reconciliation', icon: IconScale, right: 'recon.see' },
  ],
  routes: [batchesRoute, batchRoute, batchSettlementRoute, reconciliationRoute, certificateRoute],
} as const satisfies Section
