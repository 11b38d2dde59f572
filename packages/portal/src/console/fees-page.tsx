import { Button, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type {
  ConsoleFeePlan,
  ConsoleFeeRate,
  ConsoleFees,
  DecimalAmounts,
} from '@tollgate/portal-contract/answers/console-fees'
import { consoleFees } from '@tollgate/portal-contract/routes/console'
import { useState } from 'react'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { EmptyState } from '../parts/empty-state.tsx'
import { Found } from '../parts/found.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { call } from '../shell/api.ts'
import { ConsoleLink } from './console-link.tsx'
import { useMayOperate } from './console-session.ts'
import { NewPlan } from './new-plan.tsx'
import { brandText } from './plan-draft.ts'
import { RequestCard } from './request-card.tsx'

/** The plans of fees of a merchant: planned, in force and earlier. */
export function FeesPage({ id }: { readonly id: string }) {
  const found = useQuery({
    queryKey: ['merchants', id, 'fees'],
    queryFn: ({ signal }) => call(consoleFees.read, { path: { id }, signal }),
  })
  return (
    <Found
      query={found}
      title={`Fees of merchant ${id}`}
      missing={{
        title: 'This merchant does not exist',
        text: 'Check the number.',
        action: <ConsoleLink to="/">All merchants</ConsoleLink>,
      }}
    >
      {(fees) => <Shown fees={fees} />}
    </Found>
  )
}

function Shown({ fees }: { readonly fees: ConsoleFees }) {
  const { merchant, plans, requests } = fees
  const mayChange = useMayOperate('merchants.change')
  const [adds, setAdds] = useState(false)
  return (
    <Page
      title={`Fees of ${merchant.name}`}
      text={<ConsoleLink to={`/merchants/${merchant.id}`}>Merchant {merchant.id}</ConsoleLink>}
      actions={
        mayChange && !adds ? <Button onClick={() => setAdds(true)}>New plan</Button> : undefined
      }
    >
      {requests.map((request) => (
        <RequestCard key={request.id} request={request} />
      ))}
      {adds && <NewPlan fees={fees} onClose={() => setAdds(false)} />}
      {plans.length === 0 && !adds && (
        <EmptyState title="No plans" text="Without a plan, the merchant is charged nothing." />
      )}
      {plans.map((plan) => (
        <Plan key={plan.startsOn} plan={plan} />
      ))}
    </Page>
  )
}

const columnsOf = (rates: readonly ConsoleFeeRate[]): Column<ConsoleFeeRate>[] => [
  { key: 'kind', title: 'Of', cell: ({ kind }) => (kind === 'sale' ? 'Sales' : 'Refunds') },
  {
    key: 'brand',
    title: 'Brand',
    fills: true,
    cell: (rate) => brandText(rate, rates),
  },
  { key: 'percent', title: 'Percent', align: 'right', cell: ({ percent }) => `${percent} %` },
  { key: 'fixed', title: 'Fixed', align: 'right', cell: ({ fixed }) => <Fixed amounts={fixed} /> },
]

function Fixed({ amounts }: { readonly amounts: DecimalAmounts }) {
  return (
    <Text span inherit style={{ whiteSpace: 'nowrap' }}>
      {amountsText(amounts)}
    </Text>
  )
}

function Plan({ plan }: { readonly plan: ConsoleFeePlan }) {
  const { at, by, monthly, rates, startsOn, state } = plan
  const months = amountsText(monthly)
  return (
    <Panel
      title={`From ${startsOn}`}
      actions={<StatusBadge state={state === 'in_force' ? 'active' : state} label={WORDS[state]} />}
    >
      <DataTable
        label={`Rates from ${startsOn}`}
        columns={columnsOf(rates)}
        rows={rates}
        keyOf={({ kind, brand }) => `${kind} ${brand}`}
        empty={<Text size="sm">Transactions are free of charge.</Text>}
      />
      <Stack gap={2}>
        {months !== '' && <Text size="sm">Each month: {months}</Text>}
        <Group gap={4}>
          <Text size="sm" c="dimmed">
            {by} set it on <When at={at} />
          </Text>
        </Group>
      </Stack>
    </Panel>
  )
}

const WORDS = { earlier: 'earlier', in_force: 'in force', planned: 'planned' } as const

function amountsText(amounts: DecimalAmounts): string {
  return Object.entries(amounts)
    .map(([code, text]) => `${text} ${code}`)
    .join(', ')
}
