import { Anchor, Badge, Button, Group, Stack, Table, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { MailRow } from '@tollgate/portal-contract/answers/mail'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Dialog } from '../parts/dialog.tsx'
import { showDone } from '../parts/done.ts'
import { Panel } from '../parts/panel.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { queryClient } from '../shell/query-client.ts'
import { MailPreview } from './mail-preview.tsx'

const READ_AGAIN_MS = 5_000
const COLORS: Readonly<Record<MailRow['state'], string>> = {
  waiting: 'gray',
  sent: 'green',
  failed: 'red',
  caught: 'blue',
}

/** The newest mails of a site; in a sandbox without a mail server its mailbox. */
export function MailLog({ siteId }: { readonly siteId: string }) {
  const [opened, setOpened] = useState<MailRow | null>(null)
  const mails = useQuery({
    queryKey: ['settings', 'mails', siteId],
    queryFn: ({ signal }) => call(routes.mail.list, { path: { siteId }, signal }),
    refetchInterval: READ_AGAIN_MS,
  })
  const rows = mails.data?.mails ?? []
  return (
    <Panel title="Newest mails">
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          There is no mail yet.
        </Text>
      ) : (
        <Table.ScrollContainer minWidth={600} type="native">
          <Table>
            <Table.Thead>
              <Table.Tr>
                {['Time', 'Kind', 'Recipient', 'Subject', 'State'].map((head) => (
                  <Table.Th key={head}>{head}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map((mail) => (
                <Table.Tr key={mail.id}>
                  <Table.Td>
                    <When at={mail.createdAt} />
                  </Table.Td>
                  <Table.Td>{mail.title}</Table.Td>
                  <Table.Td>{mail.recipient}</Table.Td>
                  <Table.Td>
                    <Anchor component="button" size="sm" onClick={() => setOpened(mail)}>
                      {mail.subject}
                    </Anchor>
                  </Table.Td>
                  <Table.Td>
                    <Badge variant="light" color={COLORS[mail.state]}>
                      {mail.state}
                    </Badge>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Dialog
        opened={opened !== null}
        onClose={() => setOpened(null)}
        title={opened === null ? '' : `Mail to ${opened.recipient}`}
        size="lg"
      >
        {opened !== null && (
          <OneMail siteId={siteId} mail={opened} onClose={() => setOpened(null)} />
        )}
      </Dialog>
    </Panel>
  )
}

function OneMail({
  mail,
  onClose,
  siteId,
}: {
  readonly siteId: string
  readonly mail: MailRow
  readonly onClose: () => void
}) {
  const maySend = useMay('customers.change')
  const path = { siteId, mailId: mail.id }
  const content = useQuery({
    queryKey: ['settings', 'mail-content', siteId, mail.id],
    queryFn: ({ signal }) => call(routes.mail.content, { path, signal }),
  })
  const again = useMutation({
    mutationFn: () => call(routes.mail.sendAgain, { path }),
    async onSuccess() {
      showDone('The mail is queued again.')
      await queryClient.invalidateQueries({ queryKey: ['settings', 'mails', siteId] })
      onClose()
    },
  })
  return (
    <Stack>
      {content.data !== undefined && <MailPreview mail={content.data} />}
      {content.data !== undefined && content.data.answer !== '' && (
        <Text size="sm" c="dimmed">
          {content.data.answer}
        </Text>
      )}
      {again.error !== null && (
        <Text size="sm" c="red" role="alert">
          {again.error.message}
        </Text>
      )}
      <Group justify="flex-end" gap="xs">
        {maySend && mail.state !== 'waiting' && (
          <Button variant="default" loading={again.isPending} onClick={() => again.mutate()}>
            Send again
          </Button>
        )}
        <Button onClick={onClose}>Close</Button>
      </Group>
    </Stack>
  )
}
