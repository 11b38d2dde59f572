import { Alert, Button, Group, Paper, Select, Skeleton, Stack, Table, Text } from '@mantine/core'
import { IconDownload, IconPrinter } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { SettlementSource, Statement } from '@tollgate/portal-contract/answers/payouts'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Amount } from '../parts/amount.tsx'
import { countOf, countText } from '../parts/count-text.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Facts } from '../parts/facts.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { dayText } from '../parts/when.tsx'
import { useSession } from '../session/session.ts'
import { call, fileAddress } from '../shell/api.ts'
import { sourceText, STATEMENT_TITLES } from './payout-words.ts'
import classes from './print.module.css'
import { recentMonths } from './recent-months.ts'

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
        <span className={classes.unprinted}>
          Everything that moved the balance at the acquirer in a month.
        </span>
      }
      actions={source !== undefined && <Actions query={{ source, month }} />}
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

function Actions({ query }: { readonly query: { source: string; month: string } }) {
  return (
    <Group gap="xs" className={classes.unprinted}>
      <Button
        variant="default"
        leftSection={<IconPrinter size={16} aria-hidden />}
        onClick={() => window.print()}
      >
        Print
      </Button>
      <Button
        component="a"
        href={fileAddress(routes.payouts.statementCsv, { query })}
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
      >
        CSV
      </Button>
    </Group>
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
    <Group gap="sm" className={classes.unprinted}>
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
    <Paper withBorder p="lg" className={classes.sheet}>
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
  const { closingMinor, openingMinor, rows, source } = statement
  const amount = (minor: string) => <Amount bare minor={minor} currency={source.currency} />
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
        <Table.Tr className={classes.sum}>
          <Table.Td colSpan={2}>Opening balance</Table.Td>
          <Table.Td ta="right">{amount(openingMinor)}</Table.Td>
        </Table.Tr>
        {rows
          .filter(({ count, name }) => count > 0 || !OPTIONAL.has(name))
          .map(({ count, minor, name }) => (
            <Table.Tr key={name}>
              <Table.Td>{STATEMENT_TITLES[name]}</Table.Td>
              <Table.Td ta="right">{countText(count)}</Table.Td>
              <Table.Td ta="right">{amount(minor)}</Table.Td>
            </Table.Tr>
          ))}
        <Table.Tr className={classes.sum}>
          <Table.Td colSpan={2}>Closing balance</Table.Td>
          <Table.Td ta="right">{amount(closingMinor)}</Table.Td>
        </Table.Tr>
      </Table.Tbody>
    </Table>
  )
}

/** Rows that are shown only in a month that has them. */
const OPTIONAL: ReadonlySet<string> = new Set(['exchange', 'carried', 'unexplained', 'fee_tax'])

function OperatorFees({ statement }: { readonly statement: Statement }) {
  const { operatorFees, source } = statement
  const { monthlyMinor, refundsMinor, salesMinor } = operatorFees
  const total = BigInt(monthlyMinor) + BigInt(refundsMinor) + BigInt(salesMinor)
  const rows = [
    ['Sales and captures', salesMinor],
    ['Refunds', refundsMinor],
    ['Monthly fee, for all accounts of the merchant', monthlyMinor],
  ] as const
  return (
    <div>
      <Table aria-label="Operator's fees" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Operator's fees</Table.Th>
            <Table.Th ta="right">{source.currency}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(([title, minor]) => (
            <Table.Tr key={title}>
              <Table.Td>{title}</Table.Td>
              <Table.Td ta="right">
                <Amount bare minor={minor} currency={source.currency} />
              </Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr className={classes.sum}>
            <Table.Td>Charged</Table.Td>
            <Table.Td ta="right">
              <Amount bare minor={total} currency={source.currency} />
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed" mt={4}>
        The operator charges these fees apart. They are no part of the balance above.
      </Text>
    </div>
  )
}
