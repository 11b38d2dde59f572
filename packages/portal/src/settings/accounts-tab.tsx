import { Badge, Group, Stack, Text } from '@mantine/core'
import type { MerchantAccountView, SiteView } from '@tollgate/portal-contract/answers/settings'
import { EmptyState } from '../parts/empty-state.tsx'
import { Facts } from '../parts/facts.tsx'
import { ModeBadge } from '../parts/mode-badge.tsx'
import { Panel } from '../parts/panel.tsx'
import classes from './settings.module.css'

/** The merchant accounts of the site's payments; the operator sets them. */
export function AccountsTab({ site }: { readonly site: SiteView }) {
  if (site.accounts.length === 0) {
    return (
      <EmptyState
        title="No merchant account"
        text="This site cannot take payments. Ask the operator to add a merchant account with “tollgate accounts put”."
      />
    )
  }
  return (
    <Stack className={classes.panel}>
      <Text size="sm" c="dimmed">
        A payment uses the first account that has the site's mode and takes the currency. A request
        can name another account (MERCH_ACCT_ID). The operator manages accounts.
      </Text>
      {site.accounts.map((account) => (
        <Account key={account.id} account={account} isUsed={account.mode === site.mode} />
      ))}
    </Stack>
  )
}

function Account({
  account,
  isUsed,
}: {
  readonly account: MerchantAccountView
  readonly isUsed: boolean
}) {
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
          ['Replaces test account', account.standsFor],
          ['Unreferenced credits', account.unreferencedCredits ? 'allowed' : 'refused'],
          ['Card brands', account.brands?.join(', ') ?? 'all'],
          [
            'Required fields',
            account.requiredFields.map((field) => field.replaceAll('_', ' ')).join(', ') || 'none',
          ],
          [
            '3-D Secure',
            account.threeDsRequestorId === null
              ? 'not registered'
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
