import {
  Badge,
  Button,
  Group,
  List,
  Menu,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
} from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type {
  PortalUserName,
  ReconDifference,
} from '@tollgate/portal-contract/answers/reconciliation'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { showDone, showFault } from '../parts/done.ts'
import { LinkAnchor } from '../parts/links.tsx'
import { When } from '../parts/when.tsx'
import { useSession } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { FiguresTable } from './figures-table.tsx'

interface DifferenceCardProps {
  readonly difference: ReconDifference
  readonly portalUsers: readonly PortalUserName[]
  readonly mayResolve: boolean
}

type What = ReconDifference['notes'][number]['what']

const DONE: Readonly<Record<What, string>> = {
  taken: 'took ownership',
  handed: 'reassigned it',
  noted: 'wrote',
  resolved: 'resolved it',
  reopened: 'reopened it',
}

/** One order about which the books differ, and what portal users do about it. */
export function DifferenceCard({ difference, portalUsers, mayResolve }: DifferenceCardProps) {
  const { portalUser } = useSession()
  const queries = useQueryClient()
  const [writing, setWriting] = useState<'noted' | 'resolved' | null>(null)
  const { id, orderId, version, owner, resolvedAt, resolvedBy, goneAt, firstSeenAt } = difference
  const change = useMutation({
    mutationFn: (body: { what: What; ownerId?: string; note?: string }) =>
      call(routes.reconciliation.change, { path: { id }, body: { version, ...body } }),
    onSuccess: (_, { what }) => {
      setWriting(null)
      showDone(what === 'resolved' ? `The difference in order ${orderId} is resolved.` : 'Saved.')
    },
    onError: (error) => writing === null && showFault(error),
    onSettled: () => queries.invalidateQueries({ queryKey: ['reconciliation'] }),
  })
  return (
    <Paper withBorder p="md" component="article" aria-label={`Difference in order ${orderId}`}>
      <Group justify="space-between" align="flex-start" gap="sm" mb="xs">
        <Group gap="xs">
          <LinkAnchor to="/orders/$orderId" params={{ orderId }} fw={600}>
            Order {orderId}
          </LinkAnchor>
          {goneAt !== null ? (
            <Badge color="green">resolved by itself</Badge>
          ) : resolvedAt !== null ? (
            <Badge color="green">resolved</Badge>
          ) : (
            <Badge color="orange">open for {ageText(firstSeenAt)}</Badge>
          )}
          <Text size="sm" c="dimmed">
            first seen <When at={firstSeenAt} />
            {goneAt !== null && (
              <>
                , the books agree since <When at={goneAt} />
              </>
            )}
          </Text>
        </Group>
        {mayResolve && goneAt === null && (
          <Group gap="xs">
            {owner?.id !== portalUser.id && (
              <Button
                size="xs"
                variant="default"
                loading={change.isPending}
                onClick={() => change.mutate({ what: 'taken' })}
              >
                Assign to me
              </Button>
            )}
            <Menu position="bottom-end">
              <Menu.Target>
                <Button
                  size="xs"
                  variant="default"
                  rightSection={<IconChevronDown size={14} aria-hidden />}
                >
                  Assign to …
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                {portalUsers
                  .filter((each) => each.id !== owner?.id)
                  .map((each) => (
                    <Menu.Item
                      key={each.id}
                      onClick={() => change.mutate({ what: 'handed', ownerId: each.id })}
                    >
                      {each.name} · {each.email}
                    </Menu.Item>
                  ))}
              </Menu.Dropdown>
            </Menu>
            <Button size="xs" variant="default" onClick={() => setWriting('noted')}>
              Note
            </Button>
            {resolvedAt === null ? (
              <Button size="xs" onClick={() => setWriting('resolved')}>
                Resolve
              </Button>
            ) : (
              <Button
                size="xs"
                variant="default"
                loading={change.isPending}
                onClick={() => change.mutate({ what: 'reopened' })}
              >
                Reopen
              </Button>
            )}
          </Group>
        )}
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <FiguresTable
          label={`Books for order ${orderId}`}
          currency={difference.currency}
          books={[
            ['Gateway', difference.gateway],
            ['Ledger', difference.ledger],
            ['Bank', difference.bank, difference.bankCurrency ?? difference.currency],
          ]}
        />
        <Stack gap={6}>
          <List size="sm" spacing={2}>
            {difference.reasons.map((reason) => (
              <List.Item key={reason}>{reason}</List.Item>
            ))}
          </List>
          <Text size="sm">
            <Text span inherit c="dimmed">
              Owner:{' '}
            </Text>
            {owner === null ? 'unassigned' : owner.name}
            {resolvedAt !== null && resolvedBy !== null && (
              <>
                {' '}
                ·{' '}
                <Text span inherit c="dimmed">
                  resolved by
                </Text>{' '}
                {resolvedBy.name} <When at={resolvedAt} />
              </>
            )}
          </Text>
          {difference.notes.length > 0 && (
            <Stack gap={2} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
              {difference.notes.map((note) => (
                <Text key={`${note.at} ${note.what}`} size="sm" component="li">
                  <When at={note.at} /> {note.portalUser} {DONE[note.what]}
                  {note.text !== '' && <>: {note.text}</>}
                </Text>
              ))}
            </Stack>
          )}
        </Stack>
      </SimpleGrid>
      {writing !== null && (
        <NoteDialog
          what={writing}
          orderId={orderId}
          error={change.error}
          isPending={change.isPending}
          onClose={() => {
            change.reset()
            setWriting(null)
          }}
          onSave={(note) => change.mutate({ what: writing, note })}
        />
      )}
    </Paper>
  )
}

interface NoteDialogProps {
  readonly what: 'noted' | 'resolved'
  readonly orderId: string
  readonly error: Error | null
  readonly isPending: boolean
  readonly onClose: () => void
  readonly onSave: (note: string) => void
}

function NoteDialog({ what, orderId, error, isPending, onClose, onSave }: NoteDialogProps) {
  const [note, setNote] = useState('')
  const isResolving = what === 'resolved'
  return (
    <Dialog
      opened
      onClose={onClose}
      title={
        isResolving ? `Resolve the difference in order ${orderId}` : `Note on order ${orderId}`
      }
    >
      <Stack
        component="form"
        onSubmit={(event) => {
          event.preventDefault()
          onSave(note)
        }}
      >
        {isResolving && (
          <Text size="sm">
            Resolving moves no money and changes no books. It records that the cause is known. If
            the figures change, the difference reopens.
          </Text>
        )}
        <Textarea
          label={isResolving ? 'Cause and action taken' : 'Note'}
          required
          maxLength={2000}
          autosize
          minRows={3}
          data-autofocus
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        {error !== null && (
          <Text c="var(--mantine-color-error)" size="sm" role="alert">
            {error.message}
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={note.trim() === ''}>
            {isResolving ? 'Resolve' : 'Save note'}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

function ageText(since: string): string {
  const hours = Math.floor((Date.now() - Date.parse(since)) / 3_600_000)
  if (hours >= 48) return `${Math.floor(hours / 24)} days`
  return hours >= 1 ? `${hours} h` : 'less than an hour'
}
