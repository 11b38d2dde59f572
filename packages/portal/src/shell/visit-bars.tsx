import { Alert, Anchor, Button, Center, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { SupportVisit } from '@tollgate/portal-contract/answers/portal-users'
import type { SessionView } from '@tollgate/portal-contract/answers/shell'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { When } from '../parts/when.tsx'
import { useMay, useSession } from '../session/session.ts'
import { call } from './api.ts'
import { everythingChanged } from './query-client.ts'
import { TestModeBar } from './test-mode-bar.tsx'

const READ_EVERY_MS = 60_000

/**
 * Shows users of the portal that an operator can see it, operators that they only see, and test
 * mode.
 */
export function PageBars() {
  const session = useSession()
  return (
    <>
      {session.visit === null ? <OpenVisits /> : <OwnVisit session={session} />}
      <TestModeBar />
    </>
  )
}

function OpenVisits() {
  const { data = [] } = useQuery({
    queryKey: ['support-visits'],
    queryFn: ({ signal }) => call(routes.supportVisits.list, { signal, background: true }),
    refetchInterval: READ_EVERY_MS,
  })
  return data
    .filter(({ endedAt }) => endedAt === null)
    .map((visit) => <OpenVisit key={visit.id} visit={visit} />)
}

function OpenVisit({ visit }: { readonly visit: SupportVisit }) {
  const { id, operator, reason, expiresAt } = visit
  const mayEnd = useMay('support.end')
  const [opened, setOpened] = useState(false)
  const end = async (): Promise<void> => {
    await call(routes.supportVisits.end, { path: { id } })
    showDone('The support visit is over.')
    await everythingChanged()
  }
  return (
    <Alert color="blue" variant="light" py={6} mb="md" maw={1800} mx="auto" role="status">
      <Group gap="md" justify="space-between">
        <Text size="sm">
          <strong>Support visit.</strong> {operator.name} ({operator.email}), an operator of the
          gateway, can see this portal until <When at={expiresAt} />. Reason: {reason}
        </Text>
        {mayEnd && (
          <Button size="compact-sm" variant="default" onClick={() => setOpened(true)}>
            End visit
          </Button>
        )}
      </Group>
      <Confirm
        opened={opened}
        title="End the support visit"
        action="End the visit"
        onConfirm={end}
        onClose={() => setOpened(false)}
      >
        {operator.name} sees nothing of this portal from now on. The audit log has the end under
        your name.
      </Confirm>
    </Alert>
  )
}

/** The console is an application of its own at the same address. */
function consoleAddress({ merchant }: SessionView): string {
  return `/console/merchants/${merchant.id}`
}

function OwnVisit({ session }: { readonly session: SessionView }) {
  const { visit } = session
  if (visit === null) return null
  const { name } = session.merchant
  return (
    <Alert color="grape" variant="light" py={6} mb="md" maw={1800} mx="auto" role="note">
      <Group gap="md" justify="space-between">
        <Text size="sm">
          <strong>Support visit, read-only.</strong> You see the portal of {name} until{' '}
          <When at={visit.expiresAt} />. Reason: {visit.reason}
        </Text>
        <Button component="a" href={consoleAddress(session)} size="compact-sm" variant="default">
          Back to the console
        </Button>
      </Group>
    </Alert>
  )
}

/** Replaces the page of a visit that is over. */
export function VisitOver({ session }: { readonly session: SessionView }) {
  return (
    <Center mih="100vh" p="md" component="main">
      <Stack align="center" gap="xs">
        <Title order={1} size="h3">
          The support visit is over
        </Title>
        <Text>Its time is over, or it was ended. The audit log shows by whom.</Text>
        <Anchor href={consoleAddress(session)}>Back to the console</Anchor>
      </Stack>
    </Center>
  )
}
