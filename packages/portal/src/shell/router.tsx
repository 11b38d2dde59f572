import { createRouter } from '@tanstack/react-router'
import { NotFound } from './not-found.tsx'
import { PageFault } from './page-fault.tsx'
import { sections } from './sections.ts'
import { shellRoute } from './shell-route.tsx'

/** Pages of every section, below the shell that all of them share. */
export const router = createRouter({
  routeTree: shellRoute.addChildren(sections.flatMap(({ routes }) => [...routes])),
  basepath: '/portal',
  defaultPreload: 'intent',
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: PageFault,
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
