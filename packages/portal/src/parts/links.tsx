import {
  ActionIcon,
  Anchor,
  Button,
  MenuItem,
  NavLink,
  type ActionIconProps,
  type AnchorProps,
  type ButtonProps,
  type MenuItemProps,
  type NavLinkProps,
} from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef } from 'react'

type AsAnchor<Props> = Props & Omit<ComponentPropsWithRef<'a'>, keyof Props>

// Mantine's `component={Link}` would take any address; these take those of pages alone.

/** A link to a page, as Mantine shows links. */
export const LinkAnchor = createLink((props: AsAnchor<AnchorProps>) => <Anchor {...props} />)

/** A link to a page that looks like a button. */
export const LinkButton = createLink((props: AsAnchor<ButtonProps>) => (
  <Button component="a" {...props} />
))

/** A link to a page that is an icon. */
export const LinkIcon = createLink((props: AsAnchor<ActionIconProps>) => (
  <ActionIcon component="a" {...props} />
))

/** A link to a page in a menu. */
export const LinkMenuItem = createLink((props: AsAnchor<MenuItemProps>) => (
  <MenuItem component="a" {...props} />
))

/** A link to a page in the navigation. */
export const LinkNavigation = createLink((props: AsAnchor<NavLinkProps>) => <NavLink {...props} />)
