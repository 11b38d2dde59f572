import { ActionIcon, Avatar, Menu, VisuallyHidden } from '@mantine/core'
import { IconLogout, IconUserCircle } from '@tabler/icons-react'
import type { SessionView } from '@tollgate/portal-contract/answers/shell'
import * as routes from '@tollgate/portal-contract/routes'
import { LinkMenuItem } from '../parts/links.tsx'
import { call } from './api.ts'

/** Initials in other colours lack contrast in light pages. */
const LEGIBLE_COLORS = ['blue', 'indigo', 'violet', 'grape']

/** The signed-in user, with the way to their account and out. A visitor has neither. */
export function PortalUserMenu({ session }: { readonly session: SessionView }) {
  const signOut = async (): Promise<void> => {
    await call(routes.session.signOut).catch(() => undefined)
    window.location.assign('/portal/')
  }
  return (
    <Menu position="bottom-end" withArrow>
      <Menu.Target>
        <ActionIcon variant="subtle" radius="xl" size="lg">
          <Avatar
            name={session.portalUser.name}
            size={30}
            color="initials"
            allowedInitialsColors={LEGIBLE_COLORS}
          />
          <VisuallyHidden>Signed in as {session.portalUser.name}</VisuallyHidden>
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {session.portalUser.name}
          <br />
          {session.portalUser.email}
        </Menu.Label>
        {session.visit === null && (
          <>
            <LinkMenuItem to="/account" leftSection={<IconUserCircle size={16} />}>
              My account
            </LinkMenuItem>
            <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
              Sign out
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}
