import { Breadcrumbs } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { UntakenBalance } from '@tollgate/portal-contract/answers/payouts'
import * as routes from '@tollgate/portal-contract/routes'
import { Amount } from '../parts/amount.tsx'
import { countText } from '../parts/count-text.ts'
import { Facts } from '../parts/facts.tsx'
import { Found } from '../parts/found.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { PageFiles } from '../parts/page-files.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import print from '../parts/print.module.css'
import { call, fileAddress } from '../shell/api.ts'
import { LinesTable } from './lines-table.tsx'
import { sourceText } from './payout-words.ts'

/** Money at the acquirer that no payout has taken, and its lines. */
export function UntakenPage() {
  const { sourceId } = useParams({ from: '/payouts/untaken/$sourceId' })
  const balance = useQuery({
    queryKey: ['payouts', 'untaken', sourceId],
    queryFn: ({ signal }) => call(routes.payouts.untaken, { path: { id: sourceId }, signal }),
  })
  return (
    <Found
      query={balance}
      title="Not paid out yet"
      missing={{
        title: 'No balance found',
        text: 'This merchant account has no settlement file, or is of another merchant.',
        action: <LinkAnchor to="/payouts">All payouts</LinkAnchor>,
      }}
    >
      {(found) => <Shown balance={found} />}
    </Found>
  )
}

function Shown({ balance }: { readonly balance: UntakenBalance }) {
  const { asOf, balanceMinor, currency, id, lastPayoutId, leftMinor, lines } = balance
  const left = <Amount minor={leftMinor} currency={currency} />
  return (
    <Page
      title="Not paid out yet"
      text={
        <Breadcrumbs component="span" separatorMargin={4} className={print.unprinted}>
          <LinkAnchor to="/payouts" size="sm">
            All payouts
          </LinkAnchor>
        </Breadcrumbs>
      }
      actions={<PageFiles csv={fileAddress(routes.payouts.untakenCsv, { path: { id } })} />}
    >
      <Panel title={sourceText(balance)}>
        <Facts
          facts={[
            [
              'Balance',
              <strong key="balance">
                <Amount minor={balanceMinor} currency={currency} />
              </strong>,
            ],
            [
              'Left by the last payout',
              lastPayoutId === null ? (
                left
              ) : (
                <LinkAnchor
                  key="left"
                  to="/payouts/$payoutId"
                  params={{ payoutId: lastPayoutId }}
                  inherit
                >
                  {left}
                </LinkAnchor>
              ),
            ],
            ['Lines since then', countText(lines)],
            ['Last settlement file', asOf],
          ]}
        />
      </Panel>
      <LinesTable
        label="Lines without a payout"
        currency={currency}
        queryKey={['source', id]}
        read={(after, signal) =>
          call(routes.payouts.untakenLines, { path: { id }, query: { after }, signal })
        }
      />
    </Page>
  )
}
