import { Alert, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ConsoleMerchant, ConsoleSite } from '@tollgate/portal-contract/answers/console'
import { consoleMerchants } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { showDone } from '../parts/done.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Facts } from '../parts/facts.tsx'
import { Found } from '../parts/found.tsx'
import { ModeBadge } from '../parts/mode-badge.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { AccountsPanel } from './accounts-panel.tsx'
import { ConsoleLink } from './console-link.tsx'
import { useMayOperate } from './console-session.ts'
import { DisableDialog } from './disable-dialog.tsx'
import { RequestCard } from './request-card.tsx'
import { VisitsPanel } from './visits-panel.tsx'

const SITE_COLUMNS: Column<ConsoleSite>[] = [
  { key: 'id', title: 'Number', cell: ({ id }) => id },
  { key: 'name', title: 'Name', fills: true, cell: ({ name }) => name },
  { key: 'mode', title: 'Mode', cell: ({ mode }) => <ModeBadge mode={mode} /> },
  { key: 'currency', title: 'Default currency', cell: ({ defaultCurrency }) => defaultCurrency },
]

/** One merchant: its state, its sites, its accounts and their limits. */
export function MerchantPage({ id }: { readonly id: string }) {
  const found = useQuery({
    queryKey: ['merchants', id],
    queryFn: ({ signal }) => call(consoleMerchants.read, { path: { id }, signal }),
  })
  return (
    <Found
      query={found}
      title={`Merchant ${id}`}
      missing={{
        title: 'This merchant does not exist',
        text: 'Check the number.',
        action: <ConsoleLink to="/">All merchants</ConsoleLink>,
      }}
    >
      {(merchant) => <Shown merchant={merchant} />}
    </Found>
  )
}

function Shown({ merchant }: { readonly merchant: ConsoleMerchant }) {
  const { id, name, disabled, sites, accounts, requests } = merchant
  const mayChange = useMayOperate('merchants.change')
  const [opened, setOpened] = useState<'disable' | 'enable' | null>(null)
  const close = (): void => setOpened(null)
  const enable = async (): Promise<void> => {
    await call(consoleMerchants.enable, { path: { id } })
    showDone(`${name} is enabled.`)
    await everythingChanged()
  }
  const button =
    disabled === null ? (
      <Button color="red" onClick={() => setOpened('disable')}>
        Disable
      </Button>
    ) : (
      <Button onClick={() => setOpened('enable')}>Enable</Button>
    )
  return (
    <Page title={name} actions={mayChange ? button : undefined}>
      {disabled !== null && (
        <Alert color="red" role="status" title="This merchant is disabled">
          {disabled.by} disabled it on <When at={disabled.at} />: {disabled.reason}
        </Alert>
      )}
      {requests.map((request) => (
        <RequestCard key={request.id} request={request} />
      ))}
      <Panel title="Merchant">
        <Facts
          facts={[
            ['Number', id],
            [
              'State',
              <StatusBadge key="state" state={disabled === null ? 'enabled' : 'disabled'} />,
            ],
            ['Time zone', merchant.timeZone],
            ['Created', <When key="created" at={merchant.createdAt} />],
            ['API users', merchant.apiUsers],
            ['Portal users', merchant.portalUsers],
          ]}
        />
      </Panel>
      <SitesPanel sites={sites} />
      <AccountsPanel accounts={accounts} mayChange={mayChange} />
      <VisitsPanel merchant={merchant} />
      <DisableDialog merchant={merchant} opened={opened === 'disable'} onClose={close} />
      <Confirm
        opened={opened === 'enable'}
        title={`Enable ${name}`}
        action={`Enable ${name}`}
        onConfirm={enable}
        onClose={close}
      >
        Payments, tokens, renewals and the portal work again within 2 seconds. A renewal that was
        missed is charged once.
      </Confirm>
    </Page>
  )
}

function SitesPanel({ sites }: { readonly sites: readonly ConsoleSite[] }) {
  return (
    <Panel title="Sites">
      <DataTable
        label="Sites"
        columns={SITE_COLUMNS}
        rows={sites}
        keyOf={({ id }) => id}
        empty={<EmptyState title="No sites" text="tollgate sites create makes one." />}
      />
    </Panel>
  )
}
