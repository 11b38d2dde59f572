import { Button, Group, Select, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { timeWithZone, timeZones } from '@tollgate/kernel/time-zone'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { showFault } from '../parts/done.ts'
import { Panel } from '../parts/panel.tsx'
import { useMay, useSession } from '../session/session.ts'
import { call } from '../shell/api.ts'

/** The merchant's time zone. A change loads the page again: every time on it is another text. */
export function TimeZonePanel() {
  const { timeZone: seen } = useSession().merchant
  const mayChange = useMay('sites.change')
  const [chosen, setChosen] = useState(seen)
  const [now] = useState(() => new Date())
  const save = useMutation({
    mutationFn: () => call(routes.merchant.changeTimeZone, { body: { timeZone: chosen, seen } }),
    onSuccess: () => window.location.reload(),
    onError: showFault,
  })
  return (
    <Panel title="Time zone">
      <Text size="sm">
        The portal shows times in this zone. Days of lists, files, the home page and its charts
        begin at its midnight.
      </Text>
      <Group align="flex-end" gap="xs">
        <Select
          label="Time zone of the merchant"
          w={{ base: '100%', xs: 280 }}
          searchable
          allowDeselect={false}
          disabled={!mayChange}
          // The stored name may be one that this browser lists under another name.
          data={[...new Set([seen, ...timeZones()])]}
          limit={50}
          value={chosen}
          onChange={(zone) => setChosen(zone ?? seen)}
          nothingFoundMessage="No such zone"
        />
        {mayChange && (
          <Button disabled={chosen === seen} loading={save.isPending} onClick={() => save.mutate()}>
            Save
          </Button>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {chosen === seen ? 'The time is' : 'The time in this zone is'} {timeWithZone(chosen, now)}.
        A change is in the audit log. It changes no batch, and the daily cut-off stays at its time
        in UTC.
      </Text>
    </Panel>
  )
}
