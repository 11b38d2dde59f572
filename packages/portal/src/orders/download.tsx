import { Button, Group, Text } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import type { FaultAnswer } from '@tollgate/portal-contract/answers/shell'
import { useRef, useState } from 'react'
import { countOf } from '../parts/count-text.ts'
import { showDone, showFault } from '../parts/done.ts'

/** A file of everything that the filter lets through, in the columns shown, with its progress. */
export function Download({ address }: { readonly address: string }) {
  const [rows, setRows] = useState<number | null>(null)
  const cancel = useRef<AbortController | null>(null)

  const start = async (): Promise<void> => {
    const controller = new AbortController()
    cancel.current = controller
    setRows(0)
    try {
      const { file, name, count } = await fetchRows(address, controller.signal, setRows)
      save(file, name)
      showDone(`${countOf(count, 'row')} saved as ${name}.`)
    } catch (error) {
      if (!controller.signal.aborted)
        showFault(
          error instanceof Error ? error : new Error('The file could not be created. Try again.'),
        )
    } finally {
      setRows(null)
    }
  }
  if (rows === null) {
    return (
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        onClick={() => void start()}
      >
        CSV
      </Button>
    )
  }
  return (
    <Group gap="xs" wrap="nowrap">
      <Text size="sm" role="status">
        {countOf(rows, 'row')} so far
      </Text>
      <Button variant="default" onClick={() => cancel.current?.abort()}>
        Cancel
      </Button>
    </Group>
  )
}

async function fetchRows(address: string, signal: AbortSignal, onRows: (rows: number) => void) {
  const response = await fetch(address, { signal })
  if (!response.ok || response.body === null) {
    const answer = (await response.json().catch(() => null)) as FaultAnswer | null
    throw new Error(
      answer?.error.message ??
        'The gateway cannot be reached. Check your connection and try again.',
    )
  }
  const [, name = 'orders.csv'] =
    /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? []
  const parts: Uint8Array<ArrayBuffer>[] = []
  let lines = 0
  const reader = response.body.getReader()
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    parts.push(piece.value)
    for (const byte of piece.value) if (byte === 10) lines += 1
    onRows(Math.max(0, lines - 1))
  }
  return { file: new Blob(parts, { type: 'text/csv' }), name, count: Math.max(0, lines - 1) }
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
