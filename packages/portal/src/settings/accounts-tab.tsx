import { Badge, Group, Stack, Text } from '@mantine/core'
import type { AccountView, SiteView } from '@tollgate/portal-contract/answers/settings'
import { EmptyState } from '../parts/empty-state.tsx'
import { Facts } from '../parts/facts.tsx'
import { ModeBadge } from '../parts/mode-badge.tsx'
import { Panel } from '../parts/panel.tsx'
import classes from './settings.module.css'

/** Where the site's payments go; whoever operates the gateway sets it. */
export function AccountsTab({ site }: { readonly site: SiteView }) {
  if (site.accounts.length === 0) {
    return (
      <EmptyState
        title="The site has no merchant account"
        text="It can take no payment. Whoever operates the gateway gives it one with “tollgate accounts put”."
      />
    )
  }
  return (
    <Stack className={classes.panel}>
      <Text size="sm" c="dimmed">
        A payment goes to the first account of the site's mode that takes its currency, unless the
        request names one (MERCH_ACCT_ID). Accounts are agreements with acquirers, so whoever
        operates the gateway sets them.
      </Text>
      {site.accounts.map((account) => (
        <Account key={account.id} account={account} isUsed={account.mode === site.mode} />
      ))}
    </Stack>
  )
}

function Account({ account, isUsed }: { readonly account: AccountView; readonly isUsed: boolean }) {
  return (
    <Panel
      title={`Account ${account.id}: ${account.processorName}`}
      actions={
        <Group gap="xs">
          <ModeBadge mode={account.mode} />
          <Badge color={isUsed ? 'cyan' : 'gray'}>
            {isUsed ? 'takes payments now' : 'not used in this mode'}
          </Badge>
        </Group>
      }
    >
      <Facts
        facts={[
          ['Currencies', account.currencies.join(', ')],
          [
            'Processor link',
            account.link === null ? (
              'the bundled bank'
            ) : (
              <LinkState key="link" name={account.link} isUp={account.linkUp} />
            ),
          ],
          ['Merchant id at the acquirer', account.acquirerMerchantId],
          ['Category code (MCC)', account.categoryCode],
          ['Name on statements', account.nameAndLocation],
          ['Stands for test account', account.standsFor],
          ['Unreferenced credits', account.unreferencedCredits ? 'allowed' : 'refused'],
          [
            '3-D Secure',
            account.threeDsRequestorId === null
              ? 'not registered: takes no part'
              : `registered as ${account.threeDsRequestorId} (${account.threeDsRequestorUrl ?? ''})`,
          ],
        ]}
      />
    </Panel>
  )
}

function LinkState({ name, isUp }: { readonly name: string; readonly isUp: boolean | null }) {
  return (
    <>
      {name} <Badge color={isUp === true ? 'green' : 'red'}>{isUp === true ? 'up' : 'down'}</Badge>
    </>
  )
}
