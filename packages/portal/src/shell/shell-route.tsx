import { createRootRoute } from '@tanstack/react-router'
import { Shell } from './shell.tsx'

/** The frame of all pages. */
export const shellRoute = createRootRoute({ component: Shell })
