import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { styleNonce } from './nonce.ts'
import { queryClient } from './query-client.ts'
import { router } from './router.tsx'
import { SectionsContext } from './section.ts'
import { sections } from './sections.ts'
import { theme } from './theme.ts'

export function App() {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
      <Notifications position="bottom-right" autoClose={5000} />
      <QueryClientProvider client={queryClient}>
        <SectionsContext value={sections}>
          <RouterProvider router={router} />
        </SectionsContext>
      </QueryClientProvider>
    </MantineProvider>
  )
}
