import { ActionIcon, Box } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { useNavigate, useRouterState } from '@tanstack/react-router'
import { useRef } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { useMay } from '../session/session.ts'
import { SearchBox } from './search-box.tsx'

/** The search in the head of every page except those that have one themselves. */
export function HeadSearch() {
  const navigate = useNavigate()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const maySee = useMay('orders.see')
  const search = (q: string): void => void navigate({ to: '/orders', search: { q } })
  if (!maySee || /\/(orders|transactions)\/?$/.test(path)) return null
  return (
    <>
      <Box visibleFrom="md" w={260}>
        <SearchBox compact value="" onSearch={search} />
      </Box>
      <NarrowSearch onSearch={search} />
    </>
  )
}

/** Without room for a box, a button opens it above the page. */
function NarrowSearch({ onSearch }: { readonly onSearch: (text: string) => void }) {
  const [opened, { open, close }] = useDisclosure()
  const button = useRef<HTMLButtonElement>(null)
  const openIfNarrow = (): void => {
    if (button.current?.checkVisibility() === true) open()
  }
  useHotkeys([['/', openIfNarrow]])
  useHotkeys([['mod+K', openIfNarrow]], [])
  return (
    <>
      <ActionIcon
        ref={button}
        hiddenFrom="md"
        variant="subtle"
        color="gray"
        aria-label="Search orders"
        onClick={open}
      >
        <IconSearch size={18} />
      </ActionIcon>
      <Dialog opened={opened} onClose={close} title="Search orders" centered={false}>
        <SearchBox
          value=""
          onSearch={(text) => {
            close()
            onSearch(text)
          }}
        />
      </Dialog>
    </>
  )
}
