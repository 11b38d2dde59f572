import { Alert, Button, FileButton, Group, List, Stack, Text } from '@mantine/core'
import { IconPaperclip } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type {
  EvidenceFile,
  EvidenceLimits,
  WholeDispute,
} from '@tollgate/portal-contract/answers/disputes'
import * as routes from '@tollgate/portal-contract/routes'
import { call } from '../shell/api.ts'
import { base64Of, bytesText, fileFault } from './evidence.ts'

interface EvidenceFilesProps {
  readonly dispute: WholeDispute
  /** Those that no answer has taken along. */
  readonly files: readonly EvidenceFile[]
}

/** Files that the next answer takes along: added, listed by name, and removed. */
export function EvidenceFiles({ dispute, files }: EvidenceFilesProps) {
  const { id, limits } = dispute
  const queries = useQueryClient()
  const onSettled = () => queries.invalidateQueries({ queryKey: ['disputes', 'one', id] })
  const add = useMutation({
    mutationFn: async (chosen: readonly File[]) => {
      for (const file of chosen) {
        const fault = fileFault(file, limits)
        if (fault !== null) throw new Error(fault)
        const content = await base64Of(file)
        await call(routes.disputes.addFile, { path: { id }, body: { name: file.name, content } })
      }
    },
    onSettled,
  })
  const remove = useMutation({
    mutationFn: (file: string) => call(routes.disputes.removeFile, { path: { id, file } }),
    onSettled,
  })
  const error = add.error ?? remove.error
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <FileButton
          multiple
          accept={limits.types.join(',')}
          onChange={(chosen) => add.mutate(chosen)}
          inputProps={{ 'aria-label': 'Files of evidence' }}
        >
          {(props) => (
            <Button
              {...props}
              variant="default"
              size="xs"
              loading={add.isPending}
              leftSection={<IconPaperclip size={14} aria-hidden />}
            >
              Add files
            </Button>
          )}
        </FileButton>
        <Text size="xs" c="dimmed">
          {limitsText(limits)} Black out card numbers.
        </Text>
      </Group>
      {error !== null && (
        <Alert color="red" role="alert">
          {error.message}
        </Alert>
      )}
      {files.length > 0 && (
        <List size="sm" aria-label="Files for the answer">
          {files.map((file) => (
            <List.Item key={file.id}>
              {file.name}, {bytesText(file.bytes)}{' '}
              <Button
                variant="subtle"
                size="compact-xs"
                disabled={remove.isPending}
                onClick={() => remove.mutate(file.id)}
                aria-label={`Remove ${file.name}`}
              >
                Remove
              </Button>
            </List.Item>
          ))}
        </List>
      )}
    </Stack>
  )
}

function limitsText({ fileBytes, files, totalBytes }: EvidenceLimits): string {
  const each = `${bytesText(fileBytes)} each`
  return `PDF, PNG, JPEG or plain text: ${each}, ${files} files, ${bytesText(totalBytes)} together.`
}
