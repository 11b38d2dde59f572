import { List, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { WholeSettlementDifference } from '@tollgate/portal-contract/answers/differences'
import { DIFFERENCE_TEXTS, END_TEXTS } from '@tollgate/portal-contract/difference-words'
import * as routes from '@tollgate/portal-contract/routes'
import { actorText } from '../parts/actor-text.ts'
import { Amount } from '../parts/amount.tsx'
import { countOf } from '../parts/count-text.ts'
import { Facts } from '../parts/facts.tsx'
import { Found } from '../parts/found.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { PageFiles } from '../parts/page-files.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import print from '../parts/print.module.css'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { EndForm, NoteForm, OwnerForm } from './difference-forms.tsx'

/** One settlement difference: both sides, its history, and what a user does about it. */
export function DifferencePage() {
  const { differenceId } = useParams({ from: '/settlement-differences/$differenceId' })
  const query = useQuery({
    queryKey: ['settlement-differences', 'one', differenceId],
    queryFn: ({ signal }) => call(routes.differences.read, { path: { id: differenceId }, signal }),
  })
  return (
    <Found
      query={query}
      title={`Settlement difference ${differenceId}`}
      missing={{
        title: `Settlement difference ${differenceId} not found`,
        text: 'Check the number. Differences of other merchants are not shown.',
        action: <LinkAnchor to="/settlement-differences">All settlement differences</LinkAnchor>,
      }}
    >
      {(found) => <Shown difference={found} />}
    </Found>
  )
}

function Shown({ difference }: { readonly difference: WholeSettlementDifference }) {
  const { ageBankDays, code, end, id, notes, since, state } = difference
  const mayResolve = useMay('recon.resolve')
  const isOpen = state === 'open'
  return (
    <Page
      title={`Settlement difference ${id}`}
      text={
        <LinkAnchor to="/settlement-differences" size="sm" className={print.unprinted}>
          All settlement differences
        </LinkAnchor>
      }
      actions={<PageFiles />}
    >
      <Panel title={DIFFERENCE_TEXTS[code]}>
        <Facts
          facts={[
            ['State', <StatusBadge key="state" state={state} />],
            ['Since', `${since} (${countOf(ageBankDays, 'bank day')})`],
            ['Merchant account', difference.merchantAccountId],
            ['Owner', difference.owner || 'unassigned'],
            ['Ended as', end === null ? null : END_TEXTS[end.as]],
            ['Ended by', end === null ? null : actorText(end.by)],
            ['Ended at', end === null ? null : <When key="ended" at={end.at} />],
            ['Reason', end?.reason],
          ]}
        />
      </Panel>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <HerePanel difference={difference} />
        <BankPanel difference={difference} />
      </SimpleGrid>
      <Panel title="Notes">
        <Stack gap="sm">
          {notes.length === 0 ? (
            <Text size="sm" c="dimmed">
              No notes yet.
            </Text>
          ) : (
            <List size="sm" listStyleType="none">
              {notes.map(({ at, author, text }) => (
                <List.Item key={`${at} ${author} ${text}`}>
                  <When at={at} /> {actorText(author)}: {text}
                </List.Item>
              ))}
            </List>
          )}
          {mayResolve && <NoteForm id={id} />}
        </Stack>
      </Panel>
      {mayResolve && isOpen && (
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Panel title="Owner">
            <OwnerForm difference={difference} />
          </Panel>
          <Panel title="End the difference">
            <EndForm difference={difference} />
          </Panel>
        </SimpleGrid>
      )}
    </Page>
  )
}

function HerePanel({ difference }: { readonly difference: WholeSettlementDifference }) {
  const { here, orderId, proposal, transactionId } = difference
  return (
    <Panel title="Here">
      <Facts
        facts={[
          ['Amount', here === null ? 'nothing' : <Amount key="here" {...here} />],
          [
            'Order',
            orderId === null ? null : (
              <LinkAnchor key="order" to="/orders/$orderId" params={{ orderId }} size="sm">
                {orderId}
              </LinkAnchor>
            ),
          ],
          ['Transaction', transactionId],
          [
            'Proposal',
            proposal.length === 0
              ? null
              : `Transactions ${proposal.join(' and ')} together have the amount of the line.`,
          ],
        ]}
      />
    </Panel>
  )
}

function BankPanel({
  difference: { bank, fileLine, line, payoutId },
}: {
  readonly difference: WholeSettlementDifference
}) {
  return (
    <Panel title="Bank">
      <Facts
        facts={[
          ['Amount', bank === null ? 'nothing' : <Amount key="bank" {...bank} />],
          [
            'Payout',
            payoutId === null ? null : (
              <LinkAnchor key="payout" to="/payouts/$payoutId" params={{ payoutId }} size="sm">
                {payoutId}
              </LinkAnchor>
            ),
          ],
          ...(fileLine === null
            ? []
            : ([
                ['File', `number ${fileLine.fileSequence}, line ${line}`],
                ['Line id', fileLine.lineId],
                ['Kind', fileLine.kind.replaceAll('_', ' ')],
                [
                  'Gross',
                  <Amount key="gross" minor={fileLine.grossMinor} currency={fileLine.currency} />,
                ],
                [
                  'Net',
                  <Amount key="net" minor={fileLine.netMinor} currency={fileLine.currency} />,
                ],
                ['Value date', fileLine.valueDate],
                ['Order in the file', fileLine.orderKey],
                ['Retrieval reference number', fileLine.rrn],
                ['Acquirer reference number', fileLine.arn],
                ['Reason in the file', fileLine.reason],
              ] as const)),
        ]}
      />
    </Panel>
  )
}
