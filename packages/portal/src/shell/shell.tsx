import {
  ActionIcon,
  AppShell,
  Box,
  Burger,
  Center,
  Group,
  Loader,
  ScrollArea,
  Select,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure, useSessionStorage } from '@mantine/hooks'
import { IconMoon, IconSun } from '@tabler/icons-react'
import { Outlet, useRouterState } from '@tanstack/react-router'
import type { SessionView } from '@tollgate/portal-contract/answers/shell'
import { useContext, useEffect, useState } from 'react'
import { HeadSearch } from '../orders/head-search.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkNavigation } from '../parts/links.tsx'
import { showTimesIn } from '../parts/shown-zone.ts'
import { IdleWatch } from '../session/idle-watch.tsx'
import { isSignedOut, SessionContext, useSessionQuery } from '../session/session.ts'
import { SignIn, SignInAgain } from '../session/sign-in.tsx'
import { SiteContext } from '../session/site.ts'
import { signedInAgain } from './api.ts'
import icon from './icon.svg'
import { PortalUserMenu } from './portal-user-menu.tsx'
import { SectionsContext, type Section } from './section.ts'
import { PageBars, VisitOver } from './visit-bars.tsx'

/** The sign-in, or the page with navigation and head around it. */
export function Shell() {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  // A user who comes by a link has no account to sign in to yet.
  return path.endsWith('/invitation') ? <Outlet /> : <OfSession />
}

function OfSession() {
  const session = useSessionQuery()
  const { data } = session
  const [shown, setShown] = useState<SessionView | null>(null)
  const isOut = isSignedOut(session.error)
  useEffect(() => {
    // After a sign-in elsewhere, waiting requests continue, unless another user signed in.
    if (data?.next !== null || isOut) return
    if (shown !== null && isOther(shown, data)) return window.location.reload()
    showTimesIn(data.merchant.timeZone)
    setShown(data)
    signedInAgain()
  }, [data, isOut, shown])
  const unfinished = data !== undefined && data.next !== null && !isOut ? data : null
  if (shown !== null && shown.visit !== null && isOut) return <VisitOver session={shown} />
  // A page stays as it is when its session ends: what was typed there is not lost.
  if (shown !== null) {
    return (
      <>
        <SignedIn session={shown} />
        {isOut || unfinished !== null ? (
          <SignInAgain email={shown.portalUser.email} unfinished={unfinished} />
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

/** Whether nothing that is shown may stay: another user, or times of another zone. */
function isOther(shown: SessionView, now: SessionView): boolean {
  return (
    shown.portalUser.id !== now.portalUser.id || shown.merchant.timeZone !== now.merchant.timeZone
  )
}

const EVERY_SITE = 'all'

function SignedIn({ session }: { readonly session: SessionView }) {
  const [opened, { toggle, close }] = useDisclosure()
  const [siteId, setSiteId] = useSessionStorage<string | null>({
    key: 'tollgate-site',
    defaultValue: null,
  })
  const known = session.sites.some(({ id }) => id === siteId) ? siteId : null
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const sections = useContext(SectionsContext)
  const active = activeEntry(sections, path)
  return (
    <SessionContext.Provider value={session}>
      <SiteContext.Provider value={{ siteId: known, choose: setSiteId }}>
        <a className="skip-link" href="#main">
          Skip to content
        </a>
        <AppShell
          header={{ height: 56 }}
          navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }}
          padding="md"
        >
          <AppShell.Header>
            <Group h="100%" px={{ base: 'xs', xs: 'md' }} gap={6} wrap="nowrap">
              <Burger
                opened={opened}
                onClick={toggle}
                hiddenFrom="sm"
                size="sm"
                aria-label="Navigation"
                aria-expanded={opened}
              />
              <img src={icon} alt="" width={26} height={26} />
              <Text fw={600} truncate visibleFrom="xs">
                {session.merchant.name}
              </Text>
              <Box flex={1} />
              <HeadSearch />
              <Select
                aria-label="Site"
                w={{ base: 130, xs: 210 }}
                allowDeselect={false}
                data={[
                  { value: EVERY_SITE, label: 'All sites' },
                  ...session.sites.map(({ id, name, mode }) => ({
                    value: id,
                    label: `${name}${mode === 'test' ? ' (test)' : ''}`,
                  })),
                ]}
                value={known ?? EVERY_SITE}
                onChange={(value) => setSiteId(value === EVERY_SITE ? null : value)}
              />
              <ColorSchemeSwitch />
              <PortalUserMenu session={session} />
            </Group>
          </AppShell.Header>
          <AppShell.Navbar>
            <ScrollArea component="nav" aria-label="Portal" p="xs" type="auto" scrollbarSize={6}>
              {sections.map(({ title, entries }, place) => {
                const seen = entries.filter(
                  ({ right, sandboxOnly }) =>
                    session.rights.includes(right) && (sandboxOnly !== true || session.sandbox),
                )
                if (seen.length === 0) return null
                return (
                  <Box key={entries[0]?.path ?? ''}>
                    {title !== null && title !== sections[place - 1]?.title && (
                      <Text size="xs" c="dimmed" fw={600} px="sm" pt={8} pb={2} lh={1.2}>
                        {title}
                      </Text>
                    )}
                    {seen.map(({ label, path: to, icon: EntryIcon }) => (
                      <LinkNavigation
                        key={to}
                        to={to}
                        label={label}
                        leftSection={<EntryIcon size={18} stroke={1.6} aria-hidden />}
                        active={to === active}
                        activeOptions={{ exact: true }}
                        onClick={close}
                        py={3}
                        className="navigation-entry"
                      />
                    ))}
                  </Box>
                )
              })}
            </ScrollArea>
          </AppShell.Navbar>
          <AppShell.Main id="main" tabIndex={-1}>
            <PageBars />
            <Outlet />
          </AppShell.Main>
        </AppShell>
      </SiteContext.Provider>
    </SessionContext.Provider>
  )
}

/** The entry that an address belongs to: of several the one that says most of it. */
function activeEntry(sections: readonly Section[], path: string): string | null {
  const here = path.replace(/^\/portal(?=\/|$)/, '').replace(/\/$/, '') || '/'
  const isIn = (to: string): boolean => here === to || here.startsWith(`${to}/`)
  const fits = sections
    .flatMap(({ entries }) => entries)
    .filter(({ path: to, also }) => isIn(to) || (also !== undefined && isIn(also)))
  return fits.toSorted((a, b) => b.path.length - a.path.length)[0]?.path ?? null
}

function ColorSchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  const other = scheme === 'light' ? 'dark' : 'light'
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      onClick={() => setColorScheme(other)}
      aria-label={`Use ${other} colours`}
    >
      {scheme === 'light' ? <IconMoon size={18} /> : <IconSun size={18} />}
    </ActionIcon>
  )
}
