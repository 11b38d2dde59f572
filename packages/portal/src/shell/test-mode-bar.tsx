import { Alert } from '@mantine/core'
import { useSession } from '../session/session.ts'
import { useSiteChoice } from '../session/site.ts'

/** Says that no money moves, where that is so. */
export function TestModeBar() {
  const { sites } = useSession()
  const { siteId } = useSiteChoice()
  const shown = siteId === null ? sites : sites.filter(({ id }) => id === siteId)
  if (!shown.some(({ mode }) => mode === 'test')) return null
  const all = shown.every(({ mode }) => mode === 'test')
  return (
    <Alert
      color="orange"
      variant="light"
      py={6}
      mb="md"
      maw={1800}
      mx="auto"
      role="note"
      title={undefined}
    >
      <strong>Test mode.</strong>{' '}
      {all
        ? 'No real money moves here.'
        : 'Some of these sites are in test mode: no real money moves there.'}
    </Alert>
  )
}
