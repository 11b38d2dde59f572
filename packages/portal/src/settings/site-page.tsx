import { Group, Skeleton, Stack, Tabs, Text } from '@mantine/core'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { Found } from '../parts/found.tsx'
import { ModeBadge } from '../parts/mode-badge.tsx'
import { Page } from '../parts/page.tsx'
import { AccountsTab } from './accounts-tab.tsx'
import { CardTestingTab } from './card-testing-tab.tsx'
import { ChecksTab } from './checks-tab.tsx'
import { GeneralTab } from './general-tab.tsx'
import { GoLiveBanner } from './go-live-banner.tsx'
import { MailTab } from './mail-tab.tsx'
import { ModeTab } from './mode-tab.tsx'
import { useSiteView } from './settings-queries.ts'
import classes from './settings.module.css'
import { readSiteTab, SITE_TABS } from './site-tabs.ts'
import { ThreeDsTab } from './three-ds-tab.tsx'
import { TokensTab } from './tokens-tab.tsx'

const PANELS = {
  general: GeneralTab,
  accounts: AccountsTab,
  checks: ChecksTab,
  'three-ds': ThreeDsTab,
  'card-testing': CardTestingTab,
  tokens: TokensTab,
  mail: MailTab,
  mode: ModeTab,
} as const

/** Everything that is set of one site; the tab is in the address. */
export function SitePage() {
  const { siteId } = useParams({ from: '/settings/sites/$siteId' })
  const { tab } = useSearch({ from: '/settings/sites/$siteId' })
  const navigate = useNavigate()
  const site = useSiteView(siteId)
  // On a narrow screen the chosen tab may be beyond the edge.
  const tabs = useRef<HTMLDivElement>(null)
  useEffect(() => {
    tabs.current
      ?.querySelector('[aria-selected=true]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [tab])
  if (site.data === undefined && site.error !== null) {
    return (
      <Found
        query={site}
        title={`Site ${siteId}`}
        missing={{
          title: `Site ${siteId} not found`,
          text: 'None of your sites has this number.',
          action: (
            <Link className="link" to="/settings">
              All sites
            </Link>
          ),
        }}
      >
        {() => null}
      </Found>
    )
  }
  const Panel = PANELS[tab]
  return (
    <Page
      title={site.data?.settings.name ?? `Site ${siteId}`}
      text={
        <Group component="span" gap="xs">
          <Text span inherit>
            SITE_ID {siteId}
          </Text>
          {site.data !== undefined && <ModeBadge mode={site.data.mode} />}
        </Group>
      }
    >
      <GoLiveBanner siteId={siteId} />
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(chosen) =>
          void navigate({
            to: '/settings/sites/$siteId',
            params: { siteId },
            search: { tab: readSiteTab(chosen) },
          })
        }
      >
        <Tabs.List ref={tabs} className={classes.tabs} aria-label="Site settings">
          {Object.entries(SITE_TABS).map(([name, label]) => (
            <Tabs.Tab key={name} value={name}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab} pt="md">
          {site.data === undefined ? (
            <Stack>
              {[1, 2, 3, 4].map((at) => (
                <Skeleton key={at} height={36} maw={600} />
              ))}
            </Stack>
          ) : (
            <Panel site={site.data} />
          )}
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
