import { Alert, Button, Fieldset, Group, Stack, TagsInput, Text } from '@mantine/core'
import type { SiteView } from '@tollgate/portal-contract/answers/settings'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Confirm } from '../parts/confirm.tsx'
import { tellDone } from '../parts/done.ts'
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
  origins: { label: 'Origins', text: (origins) => origins.join('\n') || 'none' },
}

/** The key that signs token requests, and the pages that may read their answers. */
export function TokensTab({ site }: { readonly site: SiteView }) {
  const { tokens } = site
  const mayChange = useMay('sites.change')
  const [asked, setAsked] = useState<'new' | 'retire' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const [fault, setFault] = useState<ApiFault | null>(null)
  const draft = useDraft<Origins>({ origins: tokens.origins })
  const path = { siteId: site.id }
  return (
    <Stack className={classes.panel}>
      <Panel title="Token site key">
        <Text size="sm" c="dimmed">
          Your server signs requests for card tokens with it. It never goes into a page.
        </Text>
        <Facts
          facts={[
            [
              'In use',
              tokens.current === null ? (
                'none: the site takes no tokens'
              ) : (
                <>
                  made <When key="at" at={tokens.current} />
                </>
              ),
            ],
            [
              'Older one, works as well',
              tokens.previous === null ? null : (
                <>
                  made <When key="at" at={tokens.previous} />
                </>
              ),
            ],
          ]}
        />
        <Text size="sm" fw={600}>
          To change it without a stop
        </Text>
        <ol className={classes.steps}>
          <li>Make a new key. The one before it goes on working.</li>
          <li>Put the new one into your servers, all of them.</li>
          <li>When nothing signs with the older one any more, retire it.</li>
        </ol>
        {mayChange && (
          <Group gap="xs">
            <Button onClick={() => setAsked('new')} disabled={tokens.previous !== null}>
              Make a new key
            </Button>
            <Button
              variant="default"
              onClick={() => setAsked('retire')}
              disabled={tokens.previous === null}
            >
              Retire the older key
            </Button>
          </Group>
        )}
      </Panel>
      <Fieldset legend="Origins" disabled={!mayChange}>
        <Stack gap="sm">
          <TagsInput
            label="Pages that may read the token service's answers"
            description="Such as https://shop.example, as browsers send it: without a path or a slash at the end. * is every page; plain http:// is taken for this machine only. Press Enter after each."
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
              Every page of the network may make tokens in this site's name and read them. Name your
              own before you go live.
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
        knownWithinSeconds={site.knownWithinSeconds}
      />
      <Confirm
        opened={asked === 'new'}
        title="Make a new token site key?"
        action="Make a new key"
        onClose={() => setAsked(null)}
        onConfirm={async () => {
          const made = await call(routes.sites.makeTokenKey, { path })
          setSecret(made.key)
          await queryClient.invalidateQueries({ queryKey: ['settings'] })
        }}
      >
        <Text size="sm">Both keys work until you retire the older one.</Text>
      </Confirm>
      <Confirm
        opened={asked === 'retire'}
        title="Retire the older token site key?"
        action="Retire the older key"
        dangerous
        onClose={() => setAsked(null)}
        onConfirm={async () => {
          siteChanged(await call(routes.sites.retireTokenKey, { path }))
          tellDone('The older key is retired.')
        }}
      >
        <Text size="sm">
          Servers that still sign with it are refused (121) within {site.knownWithinSeconds}{' '}
          seconds. It can not be brought back.
        </Text>
      </Confirm>
      <ShownOnce
        secret={secret}
        title="The new token site key"
        text="Put it into your servers, where they sign requests for card tokens."
        onClose={() => setSecret(null)}
      />
    </Stack>
  )
}
