import {
  ActionIcon,
  AppShell,
  Avatar,
  Box,
  Burger,
  Center,
  Group,
  Loader,
  Menu,
  NavLink,
  ScrollArea,
  Select,
  Text,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core'
import { useDisclosure, useSessionStorage } from '@mantine/hooks'
import { IconLogout, IconMoon, IconSun } from '@tabler/icons-react'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import type { SessionView } from '@tollgate/gateway/portal-api'
import { HeadSearch } from '../orders/head-search.tsx'
import { Fault } from '../parts/fault.tsx'
import { SessionContext, useSessionQuery } from '../session/session.ts'
import { SignIn } from '../session/sign-in.tsx'
import { SiteContext } from '../session/site.ts'
import { api, ApiFault } from './api.ts'
import icon from './icon.svg'
import { queryClient } from './query-client.ts'
import { sections } from './sections.ts'
import { TestModeBar } from './test-mode-bar.tsx'

/** The sign-in, or the page with navigation and head around it. */
export function Shell() {
  const session = useSessionQuery()
  if (session.data !== undefined && !isSignedOut(session.error)) return <SignedIn session={session.data} />
  if (isSignedOut(session.error)) return <SignIn />
  if (session.error !== null) return <Fault error={session.error} onRetry={() => void session.refetch()} />
  return (
    <Center h="100vh">
      <Loader aria-label="Loading" />
    </Center>
  )
}

function isSignedOut(error: unknown): boolean {
  return error instanceof ApiFault && error.code === 'signed_out'
}

const EVERY_SITE = 'all'

function SignedIn({ session }: { readonly session: SessionView }) {
  const [opened, { toggle, close }] = useDisclosure()
  const [siteId, setSiteId] = useSessionStorage<string | null>({ key: 'tollgate-site', defaultValue: null })
  const known = session.sites.some(({ id }) => id === siteId) ? siteId : null
  const path = useRouterState({ select: ({ location }) => location.pathname })
  return (
    <SessionContext.Provider value={session}>
      <SiteContext.Provider value={{ siteId: known, choose: setSiteId }}>
        <a className="skip-link" href="#main">Skip to the page</a>
        <AppShell header={{ height: 56 }} navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !opened } }} padding="md">
          <AppShell.Header>
            <Group h="100%" px="md" gap="sm" wrap="nowrap">
              <Burger opened={opened} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" aria-expanded={opened} />
              <img src={icon} alt="" width={26} height={26} />
              <Text fw={600} truncate visibleFrom="xs">{session.merchant.name}</Text>
              <Box flex={1} />
              <HeadSearch />
              <Select
                aria-label="Site"
                w={{ base: 130, xs: 210 }}
                allowDeselect={false}
                data={[
                  { value: EVERY_SITE, label: 'All sites' },
                  ...session.sites.map(({ id, name, mode }) => ({ value: id, label: `${name}${mode === 'test' ? ' (test)' : ''}` })),
                ]}
                value={known ?? EVERY_SITE}
                onChange={(value) => setSiteId(value === EVERY_SITE ? null : value)}
              />
              <ColorSchemeSwitch />
              <PersonMenu session={session} />
            </Group>
          </AppShell.Header>
          <AppShell.Navbar>
            <ScrollArea component="nav" aria-label="Portal" p="xs" type="auto">
              {sections.map(({ title, entries }) => {
                const seen = entries.filter(
                  ({ right, sandboxOnly }) => session.rights.includes(right) && (sandboxOnly !== true || session.sandbox),
                )
                if (seen.length === 0) return null
                return (
                  <Box key={title ?? ''} mb="xs">
                    {title !== null && (
                      <Text size="xs" c="dimmed" fw={600} px="sm" pt="sm" pb={4}>{title}</Text>
                    )}
                    {seen.map(({ label, path: to, icon: EntryIcon }) => (
                      <NavLink
                        key={to}
                        component={Link}
                        to={to}
                        label={label}
                        leftSection={<EntryIcon size={18} stroke={1.6} aria-hidden />}
                        active={to === '/' ? path === '/' || path === '/portal' || path === '/portal/' : path.replace(/^\/portal/, '').startsWith(to)}
                        onClick={close}
                        py={6}
                      />
                    ))}
                  </Box>
                )
              })}
            </ScrollArea>
          </AppShell.Navbar>
          <AppShell.Main id="main" tabIndex={-1}>
            <TestModeBar />
            <Outlet />
          </AppShell.Main>
        </AppShell>
      </SiteContext.Provider>
    </SessionContext.Provider>
  )
}

function ColorSchemeSwitch() {
  const { setColorScheme } = useMantineColorScheme()
  const scheme = useComputedColorScheme('light')
  const other = scheme === 'light' ? 'dark' : 'light'
  return (
    <ActionIcon variant="subtle" color="gray" onClick={() => setColorScheme(other)} aria-label={`Use ${other} colours`}>
      {scheme === 'light' ? <IconMoon size={18} /> : <IconSun size={18} />}
    </ActionIcon>
  )
}

function PersonMenu({ session }: { readonly session: SessionView }) {
  const signOut = async (): Promise<void> => {
    await api.remove('/session').catch(() => undefined)
    queryClient.clear()
    await queryClient.invalidateQueries()
    window.location.assign('/portal/')
  }
  return (
    <Menu position="bottom-end" withArrow>
      <Menu.Target>
        <ActionIcon variant="subtle" radius="xl" size="lg" aria-label={`Signed in as ${session.person.name}`}>
          <Avatar name={session.person.name} size={30} color="initials" aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {session.person.name}
          <br />
          {session.person.email}
        </Menu.Label>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>Sign out</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
