import { Alert, Group, Paper, Select, Skeleton, Stack, Table } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type {
  SettlementSource,
  Statement,
  StatementRow,
} from '@tollgate/portal-contract/answers/payouts'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Amount } from '../parts/amount.tsx'
import { countOf, countText } from '../parts/count-text.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Facts } from '../parts/facts.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { PageFiles } from '../parts/page-files.tsx'
import { Page } from '../parts/page.tsx'
import print from '../parts/print.module.css'
import { monthBeside, recentMonths } from '../parts/recent-months.ts'
import { dayText } from '../parts/when.tsx'
import { useSession } from '../session/session.ts'
import { call, fileAddress } from '../shell/api.ts'
import { OperatorFees } from './operator-fees.tsx'
import { sourceText, STATEMENT_TITLES } from './payout-words.ts'
import classes from './payouts.module.css'

/** A month of a merchant account in one currency. */
export function StatementPage() {
  const search = useSearch({ from: '/statements' })
  const sources = useQuery({
    queryKey: ['payouts', 'sources'],
    queryFn: ({ signal }) => call(routes.payouts.sources, { signal }),
  })
  const found = sources.data?.sources
  const [months] = useState(() => recentMonths(dayText(new Date().toISOString())))
  const source = search.source ?? found?.[0]?.id
  const month = search.month ?? months[0] ?? ''
  return (
    <Page
      title="Statement"
      text={
        <span className={print.unprinted}>
          Everything that moved the balance at the acquirer in a month.
        </span>
      }
      actions={
        source !== undefined && (
          <PageFiles csv={fileAddress(routes.payouts.statementCsv, { query: { source, month } })} />
        )
      }
    >
      {sources.error !== null && (
        <Fault error={sources.error} onRetry={() => void sources.refetch()} />
      )}
      {found !== undefined && <Choice {...{ month, months, source }} sources={found} />}
      {found?.length === 0 && (
        <EmptyState
          title="No settlement yet"
          text="Statements come from settlement files. Ask your operator to import them."
        />
      )}
      {source !== undefined && <Month source={source} month={month} />}
    </Page>
  )
}

interface ChoiceProps {
  readonly source: string | undefined
  readonly month: string
  readonly months: readonly string[]
  readonly sources: readonly SettlementSource[]
}

function Choice({ source, month, months, sources }: ChoiceProps) {
  const navigate = useNavigate()
  if (source === undefined) return null
  const go = (search: { readonly source: string; readonly month: string }): void =>
    void navigate({ to: '/statements', search, replace: true })
  return (
    <Group gap="sm" className={print.unprinted}>
      <Select
        label="Account and currency"
        w={280}
        data={sources.map((each) => ({ value: each.id, label: sourceText(each) }))}
        value={source}
        onChange={(value) => go({ source: value ?? source, month })}
        allowDeselect={false}
      />
      <Select
        label="Month"
        w={140}
        data={months.includes(month) ? [...months] : [month, ...months]}
        value={month}
        onChange={(value) => go({ source, month: value ?? month })}
        allowDeselect={false}
      />
    </Group>
  )
}

function Month({ source, month }: { readonly source: string; readonly month: string }) {
  const statement = useQuery({
    queryKey: ['payouts', 'statement', source, month],
    queryFn: ({ signal }) => call(routes.payouts.statement, { query: { source, month }, signal }),
  })
  const { data, error } = statement
  if (error !== null) return <Fault error={error} onRetry={() => void statement.refetch()} />
  return data === undefined ? <Skeleton height={420} /> : <Sheet statement={data} />
}

function Sheet({ statement }: { readonly statement: Statement }) {
  const { merchant } = useSession()
  const { files, isOver, month, source, timeZone } = statement
  return (
    <Paper withBorder p="lg" className={print.sheet}>
      <Stack gap="md">
        {!isOver && (
          <Alert color="blue" variant="light" py={6}>
            This month is not over: further settlement files change its figures.
          </Alert>
        )}
        <Facts
          facts={[
            ['Merchant', `${merchant.name} (${merchant.id})`],
            ['Merchant account', sourceText(source)],
            ['Month', `${month}, by the days of ${timeZone}`],
            ['Booked', countOf(files, 'settlement file')],
          ]}
        />
        <Movements statement={statement} />
        <OperatorFees statement={statement} />
      </Stack>
    </Paper>
  )
}

function Movements({ statement }: { readonly statement: Statement }) {
  const { closingMinor, isOver, month, openingMinor, rows, source } = statement
  const amount = (minor: string) => <Amount bare minor={minor} currency={source.currency} />
  const balance = (title: string, minor: string, other: string | null) => (
    <Table.Tr className={classes.sum}>
      <Table.Td colSpan={2}>
        {other === null ? (
          title
        ) : (
          <LinkAnchor to="/statements" search={{ source: source.id, month: other }} inherit>
            {title}
          </LinkAnchor>
        )}
      </Table.Td>
      <Table.Td ta="right">{amount(minor)}</Table.Td>
    </Table.Tr>
  )
  return (
    <Table aria-label="Balance at the acquirer" verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Balance at the acquirer</Table.Th>
          <Table.Th ta="right">Postings</Table.Th>
          <Table.Th ta="right">{source.currency}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {balance('Opening balance', openingMinor, monthBeside(month, -1))}
        {rows
          .filter(({ count, name }) => count > 0 || !OPTIONAL.has(name))
          .map((row) => (
            <MovementRow key={row.name} row={row} statement={statement} />
          ))}
        {balance('Closing balance', closingMinor, isOver ? monthBeside(month, 1) : null)}
      </Table.Tbody>
    </Table>
  )
}

interface MovementRowProps {
  readonly row: StatementRow
  readonly statement: Statement
}

/** A row with postings leads to the lines that they come from, by its name and by its sum. */
function MovementRow({
  row: { count, minor, name },
  statement: { month, source },
}: MovementRowProps) {
  const amount = <Amount bare minor={minor} currency={source.currency} />
  const title = STATEMENT_TITLES[name]
  const link = { to: '/statements/lines', search: { source: source.id, month, row: name } } as const
  return (
    <Table.Tr>
      <Table.Td>
        {count === 0 ? (
          title
        ) : (
          <LinkAnchor {...link} inherit underline="always">
            {title}
          </LinkAnchor>
        )}
      </Table.Td>
      <Table.Td ta="right">{countText(count)}</Table.Td>
      <Table.Td ta="right">
        {count === 0 ? (
          amount
        ) : (
          <LinkAnchor {...link} inherit tabIndex={-1}>
            {amount}
          </LinkAnchor>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

/** Rows that are shown only in a month that has them. */
const OPTIONAL: ReadonlySet<string> = new Set(['exchange', 'carried', 'unexplained', 'fee_tax'])
