import { createRootRoute } from '@tanstack/react-router'
import { Shell } from './shell.tsx'

/** What all pages are in. */
export const shellRoute = createRootRoute({ component: Shell })
