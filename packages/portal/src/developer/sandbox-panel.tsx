import { Button, Group, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import * as routes from '@tollgate/portal-contract/routes'
import type { ShownOperation } from '@tollgate/portal-contract/routes/sandbox'
import { showDone, showFault } from '../parts/done.ts'
import { Panel } from '../parts/panel.tsx'
import { useMay, useSession } from '../session/session.ts'
import { useSiteChoice } from '../session/site.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'

/** An operation with the text of its button. */
export type OfferedOperation = readonly [label: string, operation: ShownOperation]

/** Operations at a test site, one button each. Nothing where there is none, or no sandbox. */
export function SandboxPanel({
  siteId,
  operations,
}: {
  readonly siteId: string
  readonly operations: readonly OfferedOperation[]
}) {
  const { sandbox } = useSession()
  const mayChange = useMay('developer.change')
  const perform = useMutation({
    mutationFn: (body: ShownOperation) =>
      call(routes.sandboxOperations.perform, { path: { id: siteId }, body }),
    onSuccess: ({ sentence }) => showDone(sentence),
    onError: showFault,
    onSettled: everythingChanged,
  })
  if (!sandbox || !mayChange || operations.length === 0) return null
  return (
    <Panel title="Sandbox">
      <Text size="sm" c="dimmed">
        The test bank, an issuer or time do it at once, in test mode only.
      </Text>
      <Group gap="xs">
        {operations.map(([label, operation]) => (
          <Button
            key={label}
            variant="default"
            size="xs"
            disabled={perform.isPending}
            loading={perform.isPending && perform.variables === operation}
            onClick={() => perform.mutate(operation)}
          >
            {label}
          </Button>
        ))}
      </Group>
    </Panel>
  )
}

/** Closing batches and settling, for the chosen test site or the first one. */
export function TestSitePanel() {
  const { siteId } = useSiteChoice()
  const sites = useSession().sites.filter(({ mode }) => mode === 'test')
  const site = sites.find(({ id }) => id === siteId) ?? sites[0]
  if (site === undefined) return null
  return (
    <SandboxPanel
      siteId={site.id}
      operations={[
        [`Close batch of site ${site.id}`, { operation: 'close-batch' }],
        [`Settle site ${site.id} now`, { operation: 'settle' }],
      ]}
    />
  )
}
