import { Alert, Button, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import type {
  BatchAgreement,
  BatchDifference,
  BatchFigures,
  BatchState,
  BatchTotals,
  BatchView,
} from '@tollgate/portal-contract/answers/batches'
import * as routes from '@tollgate/portal-contract/routes'
import { Amount } from '../parts/amount.tsx'
import { countOf, countText } from '../parts/count-text.ts'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { call } from '../shell/api.ts'
import { Listed, LISTED } from './batch-link.tsx'

const STATE_TEXTS: Readonly<Record<BatchState, string>> = {
  open: 'Approved sales, captures and refunds of the account go into this batch.',
  closing: 'The bank has not answered everything in this batch yet.',
  agreeing: 'The totals are on their way to the bank, until it answers.',
  comparing: 'The bank has other totals. Its list is being compared with this batch.',
  agreed: 'The bank has the same totals.',
  differing: 'The bank has other totals. Ask the acquirer about the rows below.',
  closed: 'This batch was closed without an agreement with the acquirer.',
}

/** States that end by themselves: the page reads them again. */
const ENDS_SOON: ReadonlySet<BatchState> = new Set(['closing', 'agreeing', 'comparing'])
const READ_AGAIN_MS = 2_000

/** How long until a batch in this state is read again; false for one that stays as it is. */
export function readAgainAfter(state: BatchState | undefined): number | false {
  return state !== undefined && ENDS_SOON.has(state) ? READ_AGAIN_MS : false
}

/** The agreement of a closed batch with the bank. */
export function AgreementPanel({ batch }: { readonly batch: BatchView }) {
  const { id, state } = batch
  const [isOpen, { toggle }] = useDisclosure()
  const agreement = useQuery({
    queryKey: ['batches', 'agreement', id, state],
    queryFn: ({ signal }) => call(routes.batches.agreement, { path: { id }, signal }),
  })
  return (
    <Panel
      title="Agreement with the bank"
      actions={
        isFolded(state, agreement.data) && (
          <Button size="xs" variant="default" aria-expanded={isOpen} onClick={toggle}>
            {isOpen ? 'Hide totals' : 'Show totals'}
          </Button>
        )
      }
    >
      <Text size="sm">
        <StatusBadge state={state} /> {STATE_TEXTS[state]}
      </Text>
      {agreement.error !== null && (
        <Fault error={agreement.error} onRetry={() => void agreement.refetch()} />
      )}
      {agreement.data !== undefined && (
        <Compared
          batchId={id}
          agreement={agreement.data}
          showsTotals={isOpen || !isFolded(state, agreement.data)}
        />
      )}
    </Panel>
  )
}

/** Totals that are equal on both sides say nothing that the state has not said. */
function isFolded(state: BatchState, agreement: BatchAgreement | undefined): boolean {
  return state === 'agreed' && agreement !== undefined && agreement.totals.length > 0
}

interface ComparedProps {
  readonly batchId: string
  readonly agreement: BatchAgreement
  readonly showsTotals: boolean
}

function Compared({ agreement, batchId, showsTotals }: ComparedProps) {
  const { agreedAt, differences, differing, totals } = agreement
  return (
    <>
      {agreedAt !== null && (
        <Text size="sm">
          Compared <When at={agreedAt} />.
        </Text>
      )}
      {showsTotals && totals.length > 0 && (
        <DataTable
          label="Totals here and at the bank"
          columns={TOTAL_COLUMNS}
          rows={totals.flatMap((each) => sidesOf(batchId, each))}
          keyOf={({ currency, brand, side }) => `${currency} ${brand} ${side}`}
          empty={null}
        />
      )}
      {differing > 0 && (
        <>
          <Alert color="red" variant="light" py={6}>
            {countOf(differing, 'row')} of this batch differ.
            {differing > differences.length &&
              ` The first ${countText(differences.length)} are shown.`}
          </Alert>
          <DataTable
            label="Rows that differ"
            columns={DIFFERENCE_COLUMNS}
            rows={differences}
            keyOf={({ messageNumber }) => messageNumber}
            empty={null}
          />
        </>
      )}
    </>
  )
}

interface SideRow {
  readonly batch: string
  readonly currency: string
  readonly brand: string
  readonly side: 'Tollgate' | 'Bank'
  readonly figures: BatchFigures
}

function sidesOf(
  batch: string,
  { currency, brand, gateway, bank }: BatchTotals,
): readonly SideRow[] {
  const own: SideRow = { batch, currency, brand, side: 'Tollgate', figures: gateway }
  return bank === null ? [own] : [own, { ...own, side: 'Bank', figures: bank }]
}

interface FigureTextProps {
  readonly row: SideRow
  readonly name: 'sales' | 'refunds' | 'voided'
}

/** A figure of the gateway leads to its transactions. The bank's are not here. */
function FigureText({ name, row: { batch, brand, currency, figures, side } }: FigureTextProps) {
  const { count, minor } = figures[name]
  const text = (
    <Text span inherit style={{ whiteSpace: 'nowrap' }}>
      {countText(count)}, <Amount bare minor={minor} currency={currency} />
    </Text>
  )
  if (side === 'Bank' || count === 0) return text
  return <Listed search={{ batch, currency, brand, action: FIGURES[name] }}>{text}</Listed>
}

/** How the list of transactions calls what is in a figure. */
const FIGURES = {
  sales: LISTED.captured,
  refunds: LISTED.refund,
  voided: LISTED.voided,
} as const

function figureColumn(name: FigureTextProps['name'], title: string): Column<SideRow> {
  return {
    key: name,
    title,
    align: 'right',
    cell: (row) => <FigureText row={row} name={name} />,
  }
}

const TOTAL_COLUMNS: readonly Column<SideRow>[] = [
  { key: 'currency', title: 'Currency', cell: ({ currency }) => currency },
  { key: 'brand', title: 'Brand', cell: ({ brand }) => brand },
  { key: 'side', title: 'Books', cell: ({ side }) => side },
  figureColumn('sales', 'Sales'),
  figureColumn('refunds', 'Refunds'),
  figureColumn('voided', 'Voided'),
]

/** An amount and the part of it that is voided; a side without the row says so. */
function RowAmount(props: {
  readonly minor: string | null
  readonly voided: string | null
  readonly currency: string
}) {
  const { currency, minor, voided } = props
  if (minor === null) {
    return (
      <Text span inherit c="dimmed">
        not there
      </Text>
    )
  }
  return (
    <Text span inherit style={{ whiteSpace: 'nowrap' }}>
      <Amount minor={minor} currency={currency} />
      {voided !== null && voided !== '0' && (
        <>
          , voided <Amount bare minor={voided} currency={currency} />
        </>
      )}
    </Text>
  )
}

const DIFFERENCE_COLUMNS: readonly Column<BatchDifference>[] = [
  {
    key: 'order',
    title: 'Order',
    cell: ({ orderId }) =>
      orderId === null ? (
        'not in this batch'
      ) : (
        <LinkAnchor to="/orders/$orderId" params={{ orderId }} size="sm">
          {orderId}
        </LinkAnchor>
      ),
  },
  { key: 'transaction', title: 'Transaction', cell: ({ transactionId }) => transactionId ?? '–' },
  { key: 'kind', title: 'Kind', cell: ({ kind }) => (kind === 'refund' ? 'Refund' : 'Capture') },
  { key: 'message', title: 'Message number', cell: ({ messageNumber }) => messageNumber },
  {
    key: 'gateway',
    title: 'Tollgate',
    align: 'right',
    cell: ({ currency, gatewayMinor, gatewayVoidedMinor }) => (
      <RowAmount minor={gatewayMinor} voided={gatewayVoidedMinor} currency={currency} />
    ),
  },
  {
    key: 'bank',
    title: 'Bank',
    align: 'right',
    cell: ({ currency, bankMinor, bankVoidedMinor }) => (
      <RowAmount minor={bankMinor} voided={bankVoidedMinor} currency={currency} />
    ),
  },
]
