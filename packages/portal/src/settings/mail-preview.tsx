import { SegmentedControl, Stack, Text } from '@mantine/core'
import type { MailTexts } from '@tollgate/portal-contract/answers/mail'
import { useState } from 'react'
import classes from './settings.module.css'

/**
 * A mail as its reader sees it. The frame runs no script and reaches nothing of the portal; the
 * policy of the page loads no images into it.
 */
export function MailPreview({ mail }: { readonly mail: MailTexts }) {
  const [part, setPart] = useState('html')
  return (
    <Stack gap="xs">
      <Text size="sm">
        Subject: <strong>{mail.subject}</strong>
      </Text>
      <SegmentedControl
        aria-label="Part of the mail"
        size="xs"
        value={part}
        onChange={setPart}
        data={[
          { value: 'html', label: 'HTML' },
          { value: 'text', label: 'Plain text' },
        ]}
      />
      {part === 'html' ? (
        <iframe className={classes.mail} title="HTML of the mail" sandbox="" srcDoc={mail.html} />
      ) : (
        <Text component="pre" size="sm" className={classes.mailText} tabIndex={0}>
          {mail.text}
        </Text>
      )}
    </Stack>
  )
}
