import { Alert, Button, Stack, Textarea } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { newKey } from '../parts/operation-key.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'

/** A note about the order. It cannot be changed afterwards. */
export function NoteForm({ orderId }: { readonly orderId: string }) {
  const [text, setText] = useState('')
  const [key, setKey] = useState(newKey)
  const write = useMutation({
    mutationFn: () => call(routes.order.writeNote, { path: { id: orderId }, body: { key, text } }),
    onSuccess: async () => {
      setText('')
      setKey(newKey())
      await everythingChanged()
    },
  })
  return (
    <Stack
      component="form"
      gap="xs"
      onSubmit={(event) => {
        event.preventDefault()
        if (!write.isPending && text.trim() !== '') write.mutate()
      }}
    >
      <Textarea
        label="New note"
        description="Visible to all portal users. You cannot change it later. Do not enter card numbers."
        autosize
        minRows={2}
        maxLength={4000}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {write.error !== null && (
        <Alert color="red" role="alert">
          {write.error.message}
        </Alert>
      )}
      <Button
        type="submit"
        variant="default"
        loading={write.isPending}
        disabled={text.trim() === ''}
        style={{ alignSelf: 'flex-start' }}
      >
        Add note
      </Button>
    </Stack>
  )
}
