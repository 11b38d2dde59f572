import { SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { WholeDispute } from '@tollgate/portal-contract/answers/disputes'
import { brandName } from '@tollgate/portal-contract/card-brands'
import {
  DISPUTE_STATE_MEANINGS,
  DISPUTE_STATE_TEXTS,
} from '@tollgate/portal-contract/dispute-words'
import * as routes from '@tollgate/portal-contract/routes'
import { Amount, amountText } from '../parts/amount.tsx'
import { Deadline } from '../parts/deadline.tsx'
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
import { AnswerForm } from './answer-form.tsx'
import { AnswersPanel, HistoryPanel, MoneyPanel } from './dispute-parts.tsx'

/** An answer is sent, and the acquirer's notice comes, some seconds later. */
const READ_AGAIN_MS = 3_000

/** One case: its state and deadline, its money, its history, and the answer to it. */
export function DisputePage() {
  const { disputeId } = useParams({ from: '/disputes/$disputeId' })
  const query = useQuery({
    queryKey: ['disputes', 'one', disputeId],
    queryFn: ({ signal }) => call(routes.disputes.read, { path: { id: disputeId }, signal }),
    refetchInterval: ({ state: { data } }) => (waits(data) ? READ_AGAIN_MS : false),
  })
  return (
    <Found
      query={query}
      title={`Dispute ${disputeId}`}
      missing={{
        title: `Dispute ${disputeId} not found`,
        text: 'Check the number. Disputes of other merchants are not shown.',
        action: <LinkAnchor to="/disputes">All disputes</LinkAnchor>,
      }}
    >
      {(found) => <Shown dispute={found} />}
    </Found>
  )
}

/** Whether an answer is on its way. */
function waits(dispute: WholeDispute | undefined): boolean {
  return dispute?.answerState === 'queued' || dispute?.answerState === 'sent'
}

function Shown({ dispute }: { readonly dispute: WholeDispute }) {
  const { amountMinor, answers, canAnswer, currency, id, state } = dispute
  const mayAnswer = useMay('disputes.answer')
  return (
    <Page
      title={`Dispute ${id} of ${amountText(amountMinor, currency)}`}
      text={
        <LinkAnchor to="/disputes" size="sm" className={print.unprinted}>
          All disputes
        </LinkAnchor>
      }
      actions={<PageFiles />}
    >
      <Text size="sm">
        <StatusBadge state={state} label={DISPUTE_STATE_TEXTS[state]} />{' '}
        {DISPUTE_STATE_MEANINGS[state]}
      </Text>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <CasePanel dispute={dispute} />
        <ReasonPanel dispute={dispute} />
      </SimpleGrid>
      {canAnswer && mayAnswer && <AnswerForm key={dispute.notices.length} dispute={dispute} />}
      {answers.length > 0 && <AnswersPanel dispute={dispute} />}
      <MoneyPanel dispute={dispute} />
      <HistoryPanel dispute={dispute} />
    </Page>
  )
}

function CasePanel({ dispute }: { readonly dispute: WholeDispute }) {
  const { amountMinor, caseId, currency, endedAt, merchantAccountId, openedAt, orderId } = dispute
  return (
    <Panel title="Case">
      <Facts
        facts={[
          ['Disputed', <Amount key="amount" minor={amountMinor} currency={currency} />],
          [
            'Order',
            orderId === null ? (
              'no order of this account fits'
            ) : (
              <LinkAnchor key="order" to="/orders/$orderId" params={{ orderId }} size="sm">
                {orderId}
              </LinkAnchor>
            ),
          ],
          ["Acquirer's case", caseId],
          ['Card brand', brandName(dispute.brand)],
          ['Merchant account', merchantAccountId],
          ['Opened', <When key="opened" at={openedAt} />],
          ['Ended', endedAt === null ? null : <When key="ended" at={endedAt} />],
        ]}
      />
    </Panel>
  )
}

function ReasonPanel({ dispute }: { readonly dispute: WholeDispute }) {
  const { canAnswer, daysLeft, evidenceHint, networkDue, reason, reasonName, respondBy } = dispute
  return (
    <Panel title="Reason and deadline">
      <Stack gap="sm">
        <Facts
          facts={[
            ['Reason', [reason, reasonName].filter(Boolean).join(' ') || 'not stated'],
            ['Winning evidence', evidenceHint],
            [
              'Answer by',
              canAnswer && respondBy !== null && daysLeft !== null ? (
                <Deadline key="due" day={respondBy} daysLeft={daysLeft} />
              ) : null,
            ],
            ["Network's limit", canAnswer ? networkDue : null],
          ]}
        />
        {canAnswer && dispute.isCharged && (
          <Text size="xs" c="dimmed">
            A case without an answer until the network's limit is lost.
          </Text>
        )}
      </Stack>
    </Panel>
  )
}
