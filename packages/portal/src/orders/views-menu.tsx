import { ActionIcon, Button, Checkbox, Group, Menu, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconBookmark, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { OrderView } from '@tollgate/portal-contract/answers/orders'
import type { ListName } from '@tollgate/portal-contract/order-columns'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { showDone, showFault } from '../parts/done.ts'
import { call } from '../shell/api.ts'
import { readListSearch, type ListSearch } from './list-search.ts'

interface ViewsMenuProps {
  readonly list: ListName
  readonly views: readonly OrderView[]
  /** The search to save: the address' search, with the columns. */
  readonly search: ListSearch
  readonly onOpen: (search: ListSearch) => void
}

/** Filters, sequence and columns under a name: the user's own, and those that other users share. */
export function ViewsMenu({ list, views, search, onOpen }: ViewsMenuProps) {
  const client = useQueryClient()
  const [saving, { open, close }] = useDisclosure()
  const reload = (): Promise<void> => client.invalidateQueries({ queryKey: [list, 'settings'] })
  const remove = useMutation({
    mutationFn: ({ id }: OrderView) => call(routes.orders.removeView, { path: { id } }),
    onSuccess: (_, { name }) => {
      showDone(`View "${name}" deleted.`)
      return reload()
    },
    onError: showFault,
  })
  return (
    <>
      <Menu position="bottom-end" withArrow>
        <Menu.Target>
          <Button variant="default" leftSection={<IconBookmark size={16} aria-hidden />}>
            Views
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {views.length === 0 && <Menu.Label>No saved views</Menu.Label>}
          {views.map((view) => (
            <Group key={view.id} gap={2} wrap="nowrap">
              <Menu.Item onClick={() => onOpen(readListSearch(view.search))} flex={1}>
                {view.name}
                {view.shared && (
                  <Text span size="xs" c="dimmed">
                    {' '}
                    {view.own ? '(shared)' : `(${view.madeBy})`}
                  </Text>
                )}
              </Menu.Item>
              {view.own && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={`Delete view ${view.name}`}
                  onClick={() => remove.mutate(view)}
                >
                  <IconTrash size={15} />
                </ActionIcon>
              )}
            </Group>
          ))}
          <Menu.Divider />
          <Menu.Item onClick={open}>Save view …</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <SaveView list={list} search={search} opened={saving} onClose={close} onSaved={reload} />
    </>
  )
}

interface SaveViewProps {
  readonly list: ListName
  readonly search: ListSearch
  readonly opened: boolean
  readonly onClose: () => void
  readonly onSaved: () => Promise<void>
}

function SaveView({ list, search, opened, onClose, onSaved }: SaveViewProps) {
  const [name, setName] = useState('')
  const [shared, setShared] = useState(false)
  const save = useMutation({
    mutationFn: () => {
      const { after: _, ...kept } = search
      return call(routes.orders.saveView, {
        body: { list, name: name.trim(), search: new URLSearchParams(kept).toString(), shared },
      })
    },
    onSuccess: async () => {
      showDone(`View "${name.trim()}" saved.`)
      onClose()
      setName('')
      await onSaved()
    },
  })
  return (
    <Dialog opened={opened} onClose={onClose} title="Save view">
      <Stack
        component="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (name.trim() !== '' && !save.isPending) save.mutate()
        }}
      >
        <TextInput
          data-autofocus
          label="Name"
          description="Replaces your view of the same name."
          maxLength={80}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={save.error?.message}
        />
        <Checkbox
          label="Share with everyone"
          checked={shared}
          onChange={(event) => setShared(event.currentTarget.checked)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
            Save view
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
