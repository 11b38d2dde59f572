import '@mantine/core/styles.css'
import '@mantine/notifications/styles.css'
import '../shell/theme.css'
import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { styleNonce } from '../shell/nonce.ts'
import { queryClient } from '../shell/query-client.ts'
import { theme } from '../shell/theme.ts'
import { consoleRouter } from './router.tsx'

const root = document.getElementById('root')
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
        <Notifications position="bottom-right" autoClose={5000} />
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={consoleRouter} />
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  )
}
