import { Badge, Skeleton, Table, Text } from '@mantine/core'
import type { RequestDetail } from '@tollgate/portal-contract/answers/developer'
import { diffOf, type DiffRow } from '@tollgate/portal-contract/request-diff'
import { EmptyState } from '../parts/empty-state.tsx'
import { Fault } from '../parts/fault.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { timeText } from '../parts/when.tsx'
import { useAddress } from './address.ts'
import classes from './developer.module.css'
import { codesText } from './request-columns.tsx'
import { useRequest } from './request-page.tsx'

/** Two requests side by side; only differing values stand out. */
export function DiffPage() {
  const [{ a = '', b = '' }] = useAddress('/developer/requests/diff')
  const [left, right] = [useRequest(a), useRequest(b)]
  const error = left.error ?? right.error
  if (a === '' || b === '') {
    return (
      <Page title="Compare two requests">
        <EmptyState
          title="Choose two requests"
          text="Select two requests in the request log, then compare them."
          action={<LinkAnchor to="/developer/requests">Open the request log</LinkAnchor>}
        />
      </Page>
    )
  }
  return (
    <Page title="Compare two requests">
      {error !== null && <Fault error={error} />}
      {error === null && (left.data === undefined || right.data === undefined) && (
        <Skeleton height={320} />
      )}
      {left.data !== undefined && right.data !== undefined && (
        <>
          <Compared
            title="Responses"
            ids={[a, b]}
            rows={diffOf(answerOf(left.data), answerOf(right.data))}
          />
          <Compared
            title="Parameters"
            ids={[a, b]}
            rows={diffOf(parametersOf(left.data), parametersOf(right.data))}
          />
        </>
      )}
    </Page>
  )
}

function Compared({
  title,
  ids,
  rows,
}: {
  readonly title: string
  readonly ids: readonly string[]
  readonly rows: readonly DiffRow[]
}) {
  const count = rows.filter(({ differs }) => differs).length
  return (
    <Panel
      title={title}
      actions={
        <Text size="sm" c="dimmed">
          {count === 0 ? 'identical' : `${count} different`}
        </Text>
      }
    >
      <Table.ScrollContainer minWidth={560} type="native" tabIndex={0}>
        <Table aria-label={title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              {ids.map((id, at) => (
                <Table.Th key={`${at} ${id}`}>
                  <LinkAnchor
                    to="/developer/requests/$requestId"
                    params={{ requestId: id }}
                    inherit
                  >
                    Request {id}
                  </LinkAnchor>
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ name, left, right, differs }) => (
              <Table.Tr key={name} className={differs ? classes.differs : undefined}>
                <Table.Th scope="row" fw={500}>
                  {name}{' '}
                  {differs && (
                    <Badge size="xs" color="orange" variant="outline" c="inherit">
                      different
                    </Badge>
                  )}
                </Table.Th>
                <Value text={left} />
                <Value text={right} />
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Panel>
  )
}

function Value({ text }: { readonly text: string | null }) {
  return (
    <Table.Td className={classes.value}>
      {text ?? (
        <Text span inherit c="dimmed">
          missing
        </Text>
      )}
    </Table.Td>
  )
}

type Pairs = readonly (readonly [string, string])[]

function answerOf(request: RequestDetail): Pairs {
  return [
    ['Outcome', request.outcome],
    ['Codes', codesText(request)],
    ['Invalid field', request.refField],
    ['Site', request.siteId ?? ''],
    ['User', request.username],
    ['From', request.address],
    ['Received', timeText(request.receivedAt)],
  ]
}

function parametersOf({ parameters }: RequestDetail): Pairs {
  return parameters.map(({ name, value }) => [name, value])
}
