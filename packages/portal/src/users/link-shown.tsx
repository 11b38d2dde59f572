import { Alert, Button, Code, CopyButton, Group, Stack, Text } from '@mantine/core'
import type { Link } from '@tollgate/portal-contract/answers/portal-users'
import { Dialog } from '../parts/dialog.tsx'
import { When } from '../parts/when.tsx'
import classes from './portal-users.module.css'

/** A link for a user, with the user's address. */
export interface ShownLink {
  readonly link: Link
  readonly name: string
}

/** Shown this once: the gateway keeps only a digest of it. */
export function LinkShown({
  shown,
  onClose,
}: {
  readonly shown: ShownLink | null
  readonly onClose: () => void
}) {
  return (
    <Dialog
      opened={shown !== null}
      onClose={onClose}
      title={`Link for ${shown?.name ?? ''}`}
      closeOnClickOutside={false}
      size="lg"
    >
      {shown !== null && (
        <Stack gap="sm">
          <Text size="sm">
            Tollgate sends no e-mail. Send this link to the user through a private channel: anyone
            who has it can set the password. It works once, until <When at={shown.link.expiresAt} />
            .
          </Text>
          <Code block className={classes.link} aria-label="Link">
            {shown.link.address}
          </Code>
          <Alert color="yellow" role="note">
            The link is shown only now. If it gets lost, create a new one in the list of users.
          </Alert>
          <Group justify="flex-end" gap="xs">
            <CopyButton value={shown.link.address}>
              {({ copied, copy }) => (
                <Button onClick={copy} data-autofocus>
                  {copied ? 'Copied' : 'Copy link'}
                </Button>
              )}
            </CopyButton>
            <Button variant="default" onClick={onClose}>
              Done
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  )
}
