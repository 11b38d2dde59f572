import { Breadcrumbs, Table, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import type { PayoutDetail, PayoutPart } from '@tollgate/portal-contract/answers/payouts'
import * as routes from '@tollgate/portal-contract/routes'
import type { ReactNode } from 'react'
import { Amount, amountText } from '../parts/amount.tsx'
import { Facts } from '../parts/facts.tsx'
import { Found } from '../parts/found.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { PageFiles } from '../parts/page-files.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import print from '../parts/print.module.css'
import { StatusBadge } from '../parts/status-badge.tsx'
import { call, fileAddress } from '../shell/api.ts'
import { LinesTable } from './lines-table.tsx'
import { PARTS, sourceText } from './payout-words.ts'
import classes from './payouts.module.css'

/** One deposit: the parts that add up to it, and the lines of each. */
export function PayoutPage() {
  const { payoutId } = useParams({ from: '/payouts/$payoutId' })
  const payout = useQuery({
    queryKey: ['payouts', 'one', payoutId],
    queryFn: ({ signal }) => call(routes.payouts.read, { path: { id: payoutId }, signal }),
  })
  return (
    <Found
      query={payout}
      title={`Payout ${payoutId}`}
      missing={{
        title: `Payout ${payoutId} not found`,
        text: 'Check the number. Payouts of other merchants are not shown.',
        action: <LinkAnchor to="/payouts">All payouts</LinkAnchor>,
      }}
    >
      {(found) => <Shown payout={found} />}
    </Found>
  )
}

function Shown({ payout }: { readonly payout: PayoutDetail }) {
  const { part } = useSearch({ from: '/payouts/$payoutId' })
  const { currency, id, netMinor } = payout
  const shown = PARTS.find((each) => each.part === part)
  return (
    <Page
      title={`Payout of ${amountText(netMinor, currency)}`}
      text={
        <Breadcrumbs component="span" separatorMargin={4} className={print.unprinted}>
          <LinkAnchor to="/payouts" size="sm">
            All payouts
          </LinkAnchor>
        </Breadcrumbs>
      }
      actions={
        <PageFiles csv={fileAddress(routes.payouts.linesCsv, { path: { id }, query: { part } })} />
      }
    >
      <div className={classes.columns}>
        <PartsPanel payout={payout} chosen={part} />
        <FactsPanel payout={payout} />
      </div>
      <Panel
        title={
          shown === undefined
            ? 'All lines'
            : `Lines: ${shown.title.toLowerCase()}, ${amountText(shown.minorOf(payout), currency)}`
        }
        actions={
          part !== undefined && (
            <LinkAnchor
              to="/payouts/$payoutId"
              params={{ payoutId: id }}
              resetScroll={false}
              size="sm"
              className={print.unprinted}
            >
              Show all lines
            </LinkAnchor>
          )
        }
      >
        {part === 'carried' && <LeftBefore payout={payout} />}
        <LinesTable
          label="Lines of the payout"
          currency={currency}
          queryKey={[id, part]}
          read={(after, signal) =>
            call(routes.payouts.lines, { path: { id }, query: { part, after }, signal })
          }
        />
      </Panel>
    </Page>
  )
}

interface PartsProps {
  readonly payout: PayoutDetail
  readonly chosen: PayoutPart | undefined
}

function PartsPanel({ payout, chosen }: PartsProps) {
  const { currency, leftMinor, netMinor } = payout
  return (
    <Panel title="How it adds up">
      <Table aria-label="Parts of the payout" verticalSpacing={4}>
        <Table.Tbody>
          {PARTS.map((part) => (
            <PartRow key={part.part} payout={payout} part={part} isChosen={part.part === chosen} />
          ))}
          {leftMinor !== '0' && (
            <Table.Tr>
              <Table.Td>
                <LeftLink payout={payout} tabIndex={0}>
                  Left at the acquirer
                </LeftLink>
                <Text size="xs" c="dimmed">
                  {payout.nextId === null ? 'not paid out yet' : 'carried into the next payout'}
                </Text>
              </Table.Td>
              <Table.Td ta="right">
                <LeftLink payout={payout} tabIndex={-1}>
                  <Amount bare minor={-BigInt(leftMinor)} currency={currency} />
                </LeftLink>
              </Table.Td>
            </Table.Tr>
          )}
          <Table.Tr className={classes.sum}>
            <Table.Td>Deposit</Table.Td>
            <Table.Td ta="right">
              <Amount minor={netMinor} currency={currency} />
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
    </Panel>
  )
}

interface LeftLinkProps {
  readonly payout: PayoutDetail
  readonly tabIndex: 0 | -1
  readonly children: ReactNode
}

/** Leads to the payout that carries the rest in, or to the money that waits for one. */
function LeftLink({ children, payout: { nextId, sourceId }, tabIndex }: LeftLinkProps) {
  return nextId === null ? (
    <LinkAnchor to="/payouts/untaken/$sourceId" params={{ sourceId }} size="sm" tabIndex={tabIndex}>
      {children}
    </LinkAnchor>
  ) : (
    <LinkAnchor
      to="/payouts/$payoutId"
      params={{ payoutId: nextId }}
      search={{ part: 'carried' }}
      size="sm"
      tabIndex={tabIndex}
    >
      {children}
    </LinkAnchor>
  )
}

/** The rest of the payout before is a part of what is carried in; lines are the other. */
function LeftBefore({ payout: { currency, previous } }: { readonly payout: PayoutDetail }) {
  if (previous === null || previous.leftMinor === '0') return null
  return (
    <Text size="sm">
      <Amount minor={previous.leftMinor} currency={currency} /> was left at the acquirer by{' '}
      <LinkAnchor to="/payouts/$payoutId" params={{ payoutId: previous.id }} inherit>
        payout {previous.id}
      </LinkAnchor>
      . The lines below are the rest.
    </Text>
  )
}

interface PartRowProps {
  readonly payout: PayoutDetail
  readonly part: (typeof PARTS)[number]
  readonly isChosen: boolean
}

/** A part with money leads to its lines, by its name and by its sum. */
function PartRow({ payout, part: { minorOf, part, text, title }, isChosen }: PartRowProps) {
  const { currency, id } = payout
  const minor = minorOf(payout)
  const amount = <Amount bare minor={minor} currency={currency} />
  const link = { to: '/payouts/$payoutId', params: { payoutId: id }, search: { part } } as const
  return (
    <Table.Tr {...(isChosen ? { className: classes.chosen } : {})}>
      <Table.Td>
        {minor === '0' ? (
          <Text span size="sm">
            {title}
          </Text>
        ) : (
          <LinkAnchor
            {...link}
            resetScroll={false}
            size="sm"
            underline="always"
            aria-current={isChosen ? 'true' : undefined}
          >
            {title}
          </LinkAnchor>
        )}
        <Text size="xs" c="dimmed">
          {text}
        </Text>
      </Table.Td>
      <Table.Td ta="right">
        {minor === '0' ? (
          amount
        ) : (
          <LinkAnchor {...link} resetScroll={false} inherit tabIndex={-1}>
            {amount}
          </LinkAnchor>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

function FactsPanel({ payout }: { readonly payout: PayoutDetail }) {
  const { arrives, fileSeq, ibanLast4, line, payout: theirId, state, trace, valueDate } = payout
  return (
    <Panel title="Deposit">
      <Facts
        facts={[
          ['State', <StatusBadge key="state" state={state} />],
          ['Value date', valueDate],
          ['Arrives', arrives],
          ['Trace', trace],
          ['Bank account', ibanLast4 === null ? null : `ends in ${ibanLast4}`],
          ["Acquirer's id", theirId],
          ['Merchant account', sourceText(payout)],
          ['Settlement file', `${fileSeq}, line ${line}`],
        ]}
      />
    </Panel>
  )
}
