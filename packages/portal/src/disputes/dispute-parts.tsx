import { List, Stack, Text } from '@mantine/core'
import type {
  DisputeAnswer,
  DisputeMovement,
  DisputeNotice,
  EvidenceFile,
  WholeDispute,
} from '@tollgate/portal-contract/answers/disputes'
import type { PayoutPart } from '@tollgate/portal-contract/answers/payouts'
import {
  DISPUTE_EVENT_TEXTS,
  DISPUTE_MOVEMENT_TEXTS,
} from '@tollgate/portal-contract/dispute-words'
import * as routes from '@tollgate/portal-contract/routes'
import { actorText } from '../parts/actor-text.ts'
import { Amount, amountText } from '../parts/amount.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Panel } from '../parts/panel.tsx'
import { When } from '../parts/when.tsx'
import { fileAddress } from '../shell/api.ts'
import { bytesText } from './evidence.ts'

/** The lines of settlement files that moved money for the case. */
export function MoneyPanel({ dispute }: { readonly dispute: WholeDispute }) {
  const { losses, movements, notices } = dispute
  const isRapid = notices.some(({ event }) => event === 'rapid_resolution')
  return (
    <Panel title="Money">
      <Stack gap="sm">
        <DataTable
          label="Money of the dispute"
          columns={MOVEMENT_COLUMNS}
          rows={movements}
          keyOf={({ fileId, line }) => `${fileId}-${line}`}
          empty={
            <Text size="sm" c="dimmed">
              No settlement file has money of this case yet.
            </Text>
          }
        />
        {losses
          .filter(({ minor }) => minor !== '0')
          .map(({ currency, minor }) => (
            <Text key={currency} size="sm">
              {isRapid ? 'Booked as a refund' : 'Booked as a loss'}: {amountText(minor, currency)}
            </Text>
          ))}
      </Stack>
    </Panel>
  )
}

/** The page has plus for money of the merchant, as payouts have. */
const MOVEMENT_COLUMNS: readonly Column<DisputeMovement>[] = [
  { key: 'kind', title: 'Line', cell: ({ kind }) => DISPUTE_MOVEMENT_TEXTS[kind] },
  { key: 'date', title: 'Value date', cell: ({ valueDate }) => valueDate },
  {
    key: 'amount',
    title: 'Amount',
    align: 'right',
    cell: (line) => <PaidAmount line={line} minor={-BigInt(line.takenMinor)} part="chargebacks" />,
  },
  {
    key: 'fee',
    title: 'Fee',
    align: 'right',
    cell: (line) => <PaidAmount line={line} minor={-BigInt(line.feeMinor)} part="fees" />,
  },
  {
    key: 'payout',
    title: 'Payout',
    cell: ({ payoutId }) =>
      payoutId === null ? (
        'not announced yet'
      ) : (
        <LinkAnchor to="/payouts/$payoutId" params={{ payoutId }} size="sm">
          Payout {payoutId}
        </LinkAnchor>
      ),
  },
]

interface PaidAmountProps {
  readonly line: DisputeMovement
  readonly minor: bigint
  readonly part: PayoutPart
}

/** An amount leads to the part of the payout that it is in. */
function PaidAmount({ line: { currency, payoutId }, minor, part }: PaidAmountProps) {
  const amount = <Amount minor={minor} currency={currency} />
  if (payoutId === null || minor === 0n) return amount
  const link = { to: '/payouts/$payoutId', params: { payoutId }, search: { part } } as const
  return (
    <LinkAnchor {...link} size="sm" tabIndex={-1}>
      {amount}
    </LinkAnchor>
  )
}

/** The notices of the acquirer, the newest first. */
export function HistoryPanel({ dispute }: { readonly dispute: WholeDispute }) {
  return (
    <Panel title="History">
      <List size="sm" listStyleType="none" spacing={4}>
        {dispute.notices.toReversed().map((notice) => (
          <List.Item key={notice.n}>
            <When at={notice.at} /> {noticeText(notice)}
          </List.Item>
        ))}
      </List>
    </Panel>
  )
}

function noticeText({ amountMinor, currency, event, networkDue, reason }: DisputeNotice): string {
  const details = [
    amountText(amountMinor, currency),
    reason === null ? null : `reason ${reason}`,
    networkDue === null ? null : `network's limit ${networkDue}`,
  ]
  return `${DISPUTE_EVENT_TEXTS[event]}: ${details.filter((each) => each !== null).join(', ')}.`
}

/** The answers of the merchant with their evidence. */
export function AnswersPanel({ dispute }: { readonly dispute: WholeDispute }) {
  const { answers, files, id } = dispute
  return (
    <Panel title="Answers">
      <Stack gap="md">
        {answers.map((answer) => (
          <Stack key={answer.id} gap={4}>
            <Text size="sm">
              <When at={answer.madeAt} /> {actorText(answer.madeBy)}{' '}
              {answer.answer === 'accept' ? 'accepted the case' : 'contested the case'}
              {': '}
              {stateText(answer)}
            </Text>
            {answer.text !== null && answer.text !== '' && (
              <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                {answer.text}
              </Text>
            )}
            <FileList
              disputeId={id}
              files={files.filter(({ answerId }) => answerId === answer.id)}
            />
          </Stack>
        ))}
      </Stack>
    </Panel>
  )
}

function stateText({ refusedReason, state }: DisputeAnswer): string {
  switch (state) {
    case 'queued':
      return 'waits to be sent to the acquirer.'
    case 'sent':
      return 'sent to the acquirer.'
    case 'acknowledged':
      return 'filed by the acquirer.'
    case 'refused':
      return `refused by the acquirer. ${refusedReason ?? ''}`
  }
}

function FileList({
  disputeId,
  files,
}: {
  readonly disputeId: string
  readonly files: readonly EvidenceFile[]
}) {
  if (files.length === 0) return null
  return (
    <List size="sm">
      {files.map((file) => (
        <List.Item key={file.id}>
          {file.isErased ? (
            `${file.name}, erased after the days of retention`
          ) : (
            <>
              <a
                className="link"
                href={fileAddress(routes.disputes.file, { path: { id: disputeId, file: file.id } })}
              >
                {file.name}
              </a>
              , {bytesText(file.bytes)}
            </>
          )}
        </List.Item>
      ))}
    </List>
  )
}
