import { Box } from '@mantine/core'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useMay } from '../session/session.ts'
import { SearchBox } from './search-box.tsx'

/** The search box in the head of every page except those that have one themselves. */
export function HeadSearch() {
  const navigate = useNavigate()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const maySee = useMay('orders.see')
  if (!maySee || /\/(orders|transactions)\/?$/.test(path)) return null
  return (
    <Box visibleFrom="md" w={260}>
      <SearchBox
        compact
        value=""
        onSearch={(q) => void navigate({ to: '/orders', search: { q } })}
      />
    </Box>
  )
}
