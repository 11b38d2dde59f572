import { Alert, Button, Fieldset, Group, Stack, TagsInput, Text } from '@mantine/core'
import type { SiteView } from '@tollgate/portal-contract/answers/settings'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { Facts } from '../parts/facts.tsx'
import { Panel } from '../parts/panel.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { call, type ApiFault } from '../shell/api.ts'
import { queryClient } from '../shell/query-client.ts'
import { useDraft } from './draft.tsx'
import { SaveBar, type Describe } from './save-bar.tsx'
import { siteChanged } from './settings-queries.ts'
import classes from './settings.module.css'
import { ShownOnce } from './shown-once.tsx'

interface Origins {
  readonly origins: readonly string[]
}

const DESCRIBE: Describe<Origins> = {
  origins: { label: 'Allowed origins', text: (origins) => origins.join('\n') || 'none' },
}

/** The key that signs token requests, and the pages that may read their answers. */
export function TokensTab({ site }: { readonly site: SiteView }) {
  const { tokens } = site
  const mayChange = useMay('sites.change')
  const [pending, setPending] = useState<'new' | 'retire' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const [fault, setFault] = useState<ApiFault | null>(null)
  const draft = useDraft<Origins>({ origins: tokens.origins })
  const path = { siteId: site.id }
  return (
    <Stack className={classes.panel}>
      <Panel title="Token site key">
        <Text size="sm" c="dimmed">
          Your server signs card token requests with this key. Never put it into a page.
        </Text>
        <Facts
          facts={[
            [
              'In use',
              tokens.current === null ? (
                'none: card tokens are off'
              ) : (
                <>
                  created <When key="at" at={tokens.current} />
                </>
              ),
            ],
            [
              'Older key, still valid',
              tokens.previous === null ? null : (
                <>
                  created <When key="at" at={tokens.previous} />
                </>
              ),
            ],
          ]}
        />
        <Text size="sm" fw={600}>
          To change the key without downtime
        </Text>
        <ol className={classes.steps}>
          <li>Create a new key. The current one keeps working.</li>
          <li>Put the new key into all your servers.</li>
          <li>When no server uses the older key any more, retire it.</li>
        </ol>
        {mayChange && (
          <Group gap="xs">
            <Button onClick={() => setPending('new')} disabled={tokens.previous !== null}>
              Create new key
            </Button>
            <Button
              variant="default"
              onClick={() => setPending('retire')}
              disabled={tokens.previous === null}
            >
              Retire older key
            </Button>
          </Group>
        )}
      </Panel>
      <Fieldset legend="Allowed origins" disabled={!mayChange}>
        <Stack gap="sm">
          <TagsInput
            label="Origins that can read the token service's responses"
            description="Enter origins such as https://shop.example, without a path or trailing slash. * allows every origin. http:// is accepted for this machine only. Press Enter after each."
            value={[...draft.values.origins]}
            error={fault?.field === 'origins' ? fault.message : undefined}
            onChange={(origins) => {
              setFault(null)
              draft.set(
                'origins',
                origins.map((origin) => origin.trim()),
              )
            }}
          />
          {draft.values.origins.includes('*') && (
            <Alert color="orange">
              Any web page can create and read tokens for this site. List your own origins before
              you go live.
            </Alert>
          )}
        </Stack>
      </Fieldset>
      <SaveBar
        draft={draft}
        describe={DESCRIBE}
        save={async ({ values, seen }) =>
          siteChanged(
            await call(routes.sites.changeOrigins, {
              path,
              body: { origins: values.origins, seen: seen.origins },
            }),
          )
        }
        onFault={setFault}
        changeDelaySeconds={site.changeDelaySeconds}
      />
      <Confirm
        opened={pending === 'new'}
        title="Create a new token site key?"
        action="Create new key"
        onClose={() => setPending(null)}
        onConfirm={async () => {
          const made = await call(routes.sites.makeTokenKey, { path })
          setSecret(made.key)
          await queryClient.invalidateQueries({ queryKey: ['settings'] })
        }}
      >
        <Text size="sm">Both keys work until you retire the older one.</Text>
      </Confirm>
      <Confirm
        opened={pending === 'retire'}
        title="Retire the older token site key?"
        action="Retire older key"
        dangerous
        onClose={() => setPending(null)}
        onConfirm={async () => {
          siteChanged(await call(routes.sites.retireTokenKey, { path }))
          showDone('Older key retired.')
        }}
      >
        <Text size="sm">
          Servers that still use this key are refused (121) within {site.changeDelaySeconds}{' '}
          seconds. You cannot undo this.
        </Text>
      </Confirm>
      <ShownOnce
        secret={secret}
        title="New token site key"
        text="Put it into the servers that sign card token requests."
        onClose={() => setSecret(null)}
      />
    </Stack>
  )
}
