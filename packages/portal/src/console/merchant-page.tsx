import { Alert, Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ConsoleMerchant } from '@tollgate/portal-contract/answers/console'
import { consoleMerchants } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { Facts } from '../parts/facts.tsx'
import { Found } from '../parts/found.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { LinkShown, type ShownLink } from '../users/link-shown.tsx'
import { AccountsPanel } from './accounts-panel.tsx'
import { ConsoleLink } from './console-link.tsx'
import { useMayOperate } from './console-session.ts'
import { DisableDialog } from './disable-dialog.tsx'
import { InviteFirst } from './merchant-dialogs.tsx'
import { PortalUsersPanel } from './portal-users-panel.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import { RequestCard } from './request-card.tsx'
import { SitesPanel } from './sites-panel.tsx'
import { VisitsPanel } from './visits-panel.tsx'

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
  const { id, name, disabled, requests } = merchant
  const mayChange = useMayOperate('merchants.change')
  const [opened, setOpened] = useState<'disable' | 'enable' | 'rename' | 'invite' | null>(null)
  const [shown, setShown] = useState<ShownLink | null>(null)
  const close = (): void => setOpened(null)
  const enable = async (): Promise<void> => {
    await call(consoleMerchants.enable, { path: { id } })
    showDone(`${name} is enabled.`)
    await everythingChanged()
  }
  return (
    <Page
      title={name}
      actions={mayChange ? <Actions merchant={merchant} onOpen={setOpened} /> : undefined}
    >
      {disabled !== null && (
        <Alert color="red" role="status" title="This merchant is disabled">
          {disabled.by} disabled it on <When at={disabled.at} />: {disabled.reason}
        </Alert>
      )}
      {requests.map((request) => (
        <RequestCard key={request.id} request={request} />
      ))}
      <About merchant={merchant} />
      <SitesPanel merchant={merchant} mayChange={mayChange} />
      <AccountsPanel merchant={merchant} mayChange={mayChange} />
      <PortalUsersPanel merchant={merchant} mayChange={mayChange} onLink={setShown} />
      <VisitsPanel merchant={merchant} />
      {opened === 'rename' && (
        <RenameDialog renamed={{ what: 'merchant', id, name }} onClose={close} />
      )}
      {opened === 'invite' && <InviteFirst merchant={merchant} onClose={close} onLink={setShown} />}
      <LinkShown shown={shown} onClose={() => setShown(null)} />
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

/** The facts about a merchant. */
function About({ merchant }: { readonly merchant: ConsoleMerchant }) {
  const { id, disabled } = merchant
  return (
    <Panel title="Merchant">
      <Facts
        facts={[
          ['Number', id],
          ['State', <StatusBadge key="state" state={disabled === null ? 'enabled' : 'disabled'} />],
          ['Time zone', merchant.timeZone],
          ['Created', <When key="created" at={merchant.createdAt} />],
          ['API users', merchant.apiUsers],
          ['Portal users', merchant.portalUsers],
          [
            'Fees',
            <ConsoleLink key="fees" size="sm" to={`/merchants/${id}/fees`}>
              Plans of fees
            </ConsoleLink>,
          ],
        ]}
      />
    </Panel>
  )
}

function Actions({
  merchant: { disabled, portalUsers },
  onOpen,
}: {
  readonly merchant: ConsoleMerchant
  readonly onOpen: (dialog: 'disable' | 'enable' | 'rename' | 'invite') => void
}) {
  return (
    <>
      {portalUsers === 0 && (
        <Button variant="default" onClick={() => onOpen('invite')}>
          Invite the owner
        </Button>
      )}
      <Button variant="default" onClick={() => onOpen('rename')}>
        Rename
      </Button>
      {disabled === null ? (
        <Button color="red" onClick={() => onOpen('disable')}>
          Disable
        </Button>
      ) : (
        <Button onClick={() => onOpen('enable')}>Enable</Button>
      )}
    </>
  )
}
