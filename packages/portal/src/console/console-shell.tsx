import {
  AppShell,
  Badge,
  Box,
  Burger,
  Button,
  Center,
  Group,
  Loader,
  NavLink,
  ScrollArea,
  Text,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import {
  IconActivity,
  IconBuildingStore,
  IconLogout,
  IconPlugConnected,
  IconUserCircle,
  IconUsersGroup,
  IconUserShield,
  type Icon,
} from '@tabler/icons-react'
import { Outlet, useRouterState } from '@tanstack/react-router'
import type { ConsoleSessionView } from '@tollgate/portal-contract/answers/console'
import type { UnfinishedView } from '@tollgate/portal-contract/answers/shell'
import { CONSOLE_ROLES, type ConsoleRight } from '@tollgate/portal-contract/console-rights'
import { consoleSession } from '@tollgate/portal-contract/routes/console'
import { useEffect, useState } from 'react'
import { Fault } from '../parts/fault.tsx'
import { IdleWatch } from '../session/idle-watch.tsx'
import { isSignedOut } from '../session/session.ts'
import { SignIn, SignInAgain } from '../session/sign-in.tsx'
import { call, signedInAgain } from '../shell/api.ts'
import icon from '../shell/icon.svg'
import { PLACE } from '../shell/place.ts'
import { consoleHref, useFollow } from './console-link.tsx'
import { ConsoleSessionContext, useConsoleSessionQuery } from './console-session.ts'

/** The sign-in, or the page with navigation and head around it. */
export function ConsoleShell() {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // An operator who comes by a link has no account to sign in to yet.
  return path.endsWith('/invitation') ? <Outlet /> : <OfSession />
}

function OfSession() {
  const session = useConsoleSessionQuery()
  const { data } = session
  const [shown, setShown] = useState<ConsoleSessionView | null>(null)
  const isOut = isSignedOut(session.error)
  useEffect(() => {
    // After a sign-in elsewhere, waiting requests continue, unless another operator signed in.
    if (data?.next !== null || isOut) return
    if (shown !== null && shown.operator.id !== data.operator.id) return window.location.reload()
    setShown(data)
    signedInAgain()
  }, [data, isOut, shown])
  const unfinished: UnfinishedView | null =
    data !== undefined && data.next !== null && !isOut ? data : null
  // A page stays as it is when its session ends: what was typed there is not lost.
  if (shown !== null) {
    return (
      <>
        <SignedIn session={shown} />
        {isOut || unfinished !== null ? (
          <SignInAgain email={shown.operator.email} unfinished={unfinished} />
        ) : (
          <IdleWatch />
        )}
      </>
    )
  }
  if (isOut || unfinished !== null) return <SignIn unfinished={unfinished} />
  if (session.error !== null)
    return <Fault error={session.error} onRetry={() => void session.refetch()} />
  return (
    <Center h="100vh">
      <Loader aria-label="Loading" />
    </Center>
  )
}

interface Entry {
  readonly label: string
  readonly to: string
  readonly icon: Icon
  /** Null for every operator. */
  readonly right: ConsoleRight | null
}

const ENTRIES: readonly Entry[] = [
  { label: 'Merchants', to: '/', icon: IconBuildingStore, right: 'merchants.see' },
  { label: 'Requests', to: '/requests', icon: IconUserShield, right: 'requests.see' },
  { label: 'Links', to: '/links', icon: IconPlugConnected, right: 'merchants.see' },
  { label: 'Health', to: '/health', icon: IconActivity, right: 'health.see' },
  { label: 'Operators', to: '/operators', icon: IconUsersGroup, right: 'operators.see' },
  { label: 'My access', to: '/access', icon: IconUserCircle, right: null },
]

function SignedIn({ session }: { readonly session: ConsoleSessionView }) {
  const [opened, { toggle, close }] = useDisclosure()
  const { operator } = session
  return (
    <ConsoleSessionContext.Provider value={session}>
      <a className="skip-link" href="#main">
        Skip to content
      </a>
      <AppShell
        header={{ height: 56 }}
        navbar={{ width: 200, breakpoint: 'sm', collapsed: { mobile: !opened } }}
        padding="md"
      >
        <AppShell.Header>
          <Group h="100%" px={{ base: 'xs', xs: 'md' }} gap={8} wrap="nowrap">
            <Burger
              opened={opened}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Navigation"
              aria-expanded={opened}
            />
            <img src={icon} alt="" width={26} height={26} />
            <Text fw={600} visibleFrom="xs">
              Operator console
            </Text>
            <Box flex={1} />
            <Text size="sm" truncate>
              {operator.name}
            </Text>
            <Badge miw="max-content" color="gray">
              {CONSOLE_ROLES[operator.role].title}
            </Badge>
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              leftSection={<IconLogout size={16} aria-hidden />}
              onClick={() => void signOut()}
            >
              Sign out
            </Button>
          </Group>
        </AppShell.Header>
        <AppShell.Navbar>
          <Navigation rights={session.rights} onFollow={close} />
        </AppShell.Navbar>
        <AppShell.Main id="main" tabIndex={-1}>
          <Outlet />
        </AppShell.Main>
      </AppShell>
    </ConsoleSessionContext.Provider>
  )
}

function Navigation({
  rights,
  onFollow,
}: {
  readonly rights: readonly ConsoleRight[]
  readonly onFollow: () => void
}) {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const follow = useFollow()
  const here = path.replace(/^\/console/, '') || '/'
  const isHere = (to: string): boolean =>
    to === '/' ? here === '/' || here.startsWith('/merchants') : here.startsWith(to)
  const seen = ENTRIES.filter(({ right }) => right === null || rights.includes(right))
  return (
    <ScrollArea component="nav" aria-label={PLACE.navigation} p="xs" type="auto">
      {seen.map(({ label, to, icon: EntryIcon }) => (
        <NavLink
          key={to}
          href={consoleHref(to)}
          label={label}
          leftSection={<EntryIcon size={18} stroke={1.6} aria-hidden />}
          active={isHere(to)}
          aria-current={isHere(to) ? 'page' : undefined}
          onClick={(event) => {
            onFollow()
            follow(to)(event)
          }}
        />
      ))}
    </ScrollArea>
  )
}

async function signOut(): Promise<void> {
  await call(consoleSession.signOut).catch(() => undefined)
  window.location.assign(`${PLACE.root}/`)
}
