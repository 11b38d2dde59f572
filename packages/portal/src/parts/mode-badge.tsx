import { Badge } from '@mantine/core'

/** Whether real money moves. */
export function ModeBadge({ mode }: { readonly mode: 'test' | 'live' }) {
  return (
    <Badge miw="max-content" color={mode === 'live' ? 'green' : 'orange'}>
      {mode}
    </Badge>
  )
}
