import { Anchor, Button, Group, Select, TextInput } from '@mantine/core'
import { IconCopy } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { TestValueRow } from '@tollgate/portal-contract/answers/developer'
import * as routes from '@tollgate/portal-contract/routes'
import { TEST_VALUE_KINDS } from '@tollgate/portal-contract/test-value-kinds'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { showDone, showFault } from '../parts/done.ts'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { Page } from '../parts/page.tsx'
import { call } from '../shell/api.ts'
import { useAddress } from './address.ts'
import classes from './developer.module.css'
import { curlHere } from './request-page.tsx'
import { useTestSite } from './test-site.tsx'

const KINDS = Object.entries(TEST_VALUE_KINDS).map(([value, label]) => ({ value, label }))

/** Everything that the test bank does on purpose, and a request for each. */
export function TestValuesPage() {
  const [address, change] = useAddress('/developer/test-values')
  const [siteId, choice] = useTestSite()
  const values = useQuery({
    queryKey: ['developer', 'test-values'],
    queryFn: ({ signal }) => call(routes.testBank.values, { signal }),
    staleTime: Infinity,
  })
  const { q = '', kind = '' } = address
  const words = q
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  const rows = values.data?.rows.filter((row) => {
    if (kind !== '' && row.kind !== kind) return false
    const text =
      `${TEST_VALUE_KINDS[row.kind]} ${row.value} ${row.outcome} ${row.code}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  const columns: readonly Column<TestValueRow>[] = [
    {
      key: 'kind',
      title: 'What',
      cell: (row) => <span className={classes.plain}>{TEST_VALUE_KINDS[row.kind]}</span>,
    },
    {
      key: 'value',
      title: 'Value',
      cell: ({ value }) => <span className={classes.plain}>{value}</span>,
    },
    {
      key: 'outcome',
      title: 'Outcome',
      cell: ({ outcome }) => <div className={classes.meaning}>{outcome}</div>,
    },
    { key: 'code', title: 'Code', cell: ({ code }) => code },
    {
      key: 'copy',
      title: 'Request',
      cell: (row) =>
        row.hasRequest && siteId !== null ? <CopyRequest row={row} siteId={siteId} /> : null,
    },
  ]
  return (
    <Page
      title="Test values"
      text="Values that produce a fixed outcome at the test bank. Tests can rely on them. Card numbers are shortened here; copied requests contain them in full."
    >
      <Group gap="xs" align="flex-end">
        <TextInput
          label="Search"
          placeholder="5.07, stolen, 0308, AVS"
          w={260}
          value={q}
          onChange={(event) => change({ q: event.currentTarget.value })}
        />
        <Select
          label="What"
          w={170}
          clearable
          placeholder="Everything"
          data={KINDS}
          value={kind === '' ? null : kind}
          onChange={(next) => change({ kind: next })}
        />
        {choice}
      </Group>
      {values.error !== null ? (
        <Fault error={values.error} onRetry={() => void values.refetch()} />
      ) : (
        <DataTable
          label="Test values"
          columns={columns}
          rows={rows}
          keyOf={({ key }) => key}
          empty={
            <EmptyState
              title="No results"
              text="No test value matches your search."
              action={
                <Anchor component="button" onClick={() => change({ q: null, kind: null })}>
                  Clear all filters
                </Anchor>
              }
            />
          }
        />
      )}
    </Page>
  )
}

function CopyRequest({ row, siteId }: { readonly row: TestValueRow; readonly siteId: string }) {
  const copy = useMutation({
    mutationFn: async () => {
      const { curl } = await call(routes.testBank.request, {
        query: { site: siteId, key: row.key },
      })
      // Straight to the clipboard: a card number never stands on a page.
      await navigator.clipboard.writeText(curlHere(curl))
    },
    onSuccess: () => showDone('Copied. Fill in the password and run the command in a shell.'),
    onError: (error) => showFault(error),
  })
  return (
    <Button
      size="compact-xs"
      variant="default"
      leftSection={<IconCopy size={13} aria-hidden />}
      loading={copy.isPending}
      onClick={() => copy.mutate()}
      aria-label={`Copy the request for ${row.value}`}
    >
      Copy
    </Button>
  )
}
