import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { queryClient } from './query-client.ts'
import { router } from './router.tsx'
import { SectionsContext } from './section.ts'
import { sections } from './sections.ts'
import { theme } from './theme.ts'

const nonce = document.querySelector('meta[name=style-nonce]')?.getAttribute('content') ?? ''
// Dialogues put a style of their own into the page, and look for its nonce here.
Object.assign(globalThis, { __webpack_nonce__: nonce })

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <Notifications position="bottom-right" autoClose={5000} />
      <QueryClientProvider client={queryClient}>
        <SectionsContext value={sections}>
          <RouterProvider router={router} />
        </SectionsContext>
      </QueryClientProvider>
    </MantineProvider>
  )
}
