import { Anchor } from '@mantine/core'
import { createRootRoute, createRoute, createRouter, useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Page } from '../parts/page.tsx'
import { PageFault } from '../shell/page-fault.tsx'
import { InvitationPage } from '../users/invitation-page.tsx'
import { AccessPage } from './access-page.tsx'
import { ConsoleShell } from './console-shell.tsx'
import { FeesPage } from './fees-page.tsx'
import { HealthPage } from './health-page.tsx'
import { LinksPage } from './links-page.tsx'
import { MerchantPage } from './merchant-page.tsx'
import { MerchantsPage } from './merchants-page.tsx'
import { OperatorsPage } from './operators-page.tsx'
import { RequestsPage } from './requests-page.tsx'

const rootRoute = createRootRoute({ component: ConsoleShell })
const page = <Path extends string>(path: Path, component: () => ReactNode) =>
  createRoute({ getParentRoute: () => rootRoute, path, component })

function Merchant() {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  return <MerchantPage id={path.split('/').at(-1) ?? ''} />
}

function Fees() {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  return <FeesPage id={path.split('/').at(-2) ?? ''} />
}

/** The pages of the console. Its addresses are not those of the portal, so links name them here. */
export const consoleRouter = createRouter({
  routeTree: rootRoute.addChildren([
    page('/', MerchantsPage),
    page('/merchants/$id', Merchant),
    page('/merchants/$id/fees', Fees),
    page('/requests', RequestsPage),
    page('/links', LinksPage),
    page('/health', HealthPage),
    page('/operators', OperatorsPage),
    page('/access', AccessPage),
    page('/invitation', InvitationPage),
  ]),
  basepath: '/console',
  defaultNotFoundComponent: function Missing() {
    return (
      <Page title="Page not found" text="Check the address. The link may be out of date.">
        <Anchor href="/console/">Merchants</Anchor>
      </Page>
    )
  },
  defaultErrorComponent: PageFault,
  scrollRestoration: true,
})
