import { Button, Group, Text } from '@mantine/core'
import type { ApiUserSummary } from '@tollgate/portal-contract/answers/settings'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { useMay } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { queryClient } from '../shell/query-client.ts'

/** The right of an API user to read events and lists. */
export function EventsRight({ user }: { readonly user: ApiUserSummary }) {
  const mayChange = useMay('api_users.change')
  const [isConfirming, setConfirming] = useState(false)
  const { name, readsApi } = user
  const action = readsApi ? 'Refuse events' : 'Allow events'
  const change = async (): Promise<void> => {
    await call(routes.apiUsers.setEvents, { path: { name }, body: { on: !readsApi } })
    await queryClient.invalidateQueries({ queryKey: ['settings', 'api-users'] })
    showDone('Saved. The change takes effect within 2 seconds.')
  }
  return (
    <Group>
      <Text size="sm">
        {readsApi ? 'May read events and lists.' : 'May not read events and lists.'}
      </Text>
      {mayChange && (
        <Button size="compact-sm" variant="default" onClick={() => setConfirming(true)}>
          {action}
        </Button>
      )}
      <Confirm
        opened={isConfirming}
        title={readsApi ? `Refuse ${name} events and lists?` : `Let ${name} read events and lists?`}
        action={action}
        dangerous={readsApi}
        onClose={() => setConfirming(false)}
        onConfirm={change}
      >
        <Text size="sm">
          {readsApi
            ? 'Within 2 seconds, its requests for both are refused (403). Payments go on.'
            : 'It can read payments, memberships, payouts and disputes. It can manage webhooks.'}
        </Text>
      </Confirm>
    </Group>
  )
}
