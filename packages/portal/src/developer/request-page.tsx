import { Alert, Button, Code, CopyButton, Group, Table, Text } from '@mantine/core'
import { IconCheck, IconCopy, IconHelpCircle } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { RequestDetail } from '@tollgate/portal-contract/answers/developer'
import * as routes from '@tollgate/portal-contract/routes'
import { Copyable } from '../parts/copyable.tsx'
import { Facts } from '../parts/facts.tsx'
import { Found } from '../parts/found.tsx'
import { LinkAnchor, LinkButton } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { call } from '../shell/api.ts'
import classes from './developer.module.css'

export function useRequest(id: string) {
  return useQuery({
    queryKey: ['developer', 'request', id],
    queryFn: ({ signal }) => call(routes.requests.read, { path: { id }, signal }),
    enabled: id !== '',
    staleTime: Infinity,
  })
}

/** One request: what was sent, masked, what was answered, and how to send it again. */
export function RequestPage() {
  const { requestId } = useParams({ from: '/developer/requests/$requestId' })
  const request = useRequest(requestId)
  return (
    <Found
      query={request}
      title={`Request ${requestId}`}
      missing={{
        title: `Request ${requestId} not found`,
        text: 'Check the number. Requests of other merchants are not shown, and old requests are deleted.',
        action: <LinkAnchor to="/developer/requests">Open the request log</LinkAnchor>,
      }}
    >
      {(data) => <Shown data={data} />}
    </Found>
  )
}

function Shown({ data }: { readonly data: RequestDetail }) {
  const mayOpenOrder = useMay('orders.see')
  return (
    <Page
      title={`Request ${data.id}`}
      actions={
        <>
          <LinkButton
            variant="default"
            leftSection={<IconHelpCircle size={16} aria-hidden />}
            to={whyPath(data)}
          >
            Explain this result
          </LinkButton>
          {data.curl !== null && <CopyCurl text={curlHere(data.curl)} />}
        </>
      }
    >
      {data.warnings.map((warning) => (
        <Alert key={warning} color="orange" variant="light">
          {warning}
        </Alert>
      ))}
      <div className={classes.halves}>
        <Panel title="Request">
          <Facts
            facts={[
              ['Received', <When key="at" at={data.receivedAt} />],
              ['Action', data.action],
              ['Site', data.siteId],
              ['User', data.username],
              ['From', data.address],
              ['Took', `${data.tookMs} ms`],
              ['Path', data.path],
            ]}
          />
        </Panel>
        <Panel title="Response" actions={<StatusBadge state={data.outcome} />}>
          <Facts
            facts={[
              ['HTTP', data.httpStatus],
              [
                'Invalid field',
                data.refField === '' ? null : <Code key="field">{data.refField}</Code>,
              ],
              [
                'Order',
                data.orderId === null ? null : mayOpenOrder ? (
                  <LinkAnchor
                    key="order"
                    inherit
                    to="/orders/$orderId"
                    params={{ orderId: data.orderId }}
                  >
                    {data.orderId}
                  </LinkAnchor>
                ) : (
                  data.orderId
                ),
              ],
              [
                'Transaction',
                data.transactionId === null ? null : (
                  <Copyable key="transaction" text={data.transactionId} />
                ),
              ],
            ]}
          />
          <Table.ScrollContainer
            minWidth={400}
            type="native"
            tabIndex={0}
            role="group"
            aria-label="Codes"
          >
            <Table aria-label="Codes" horizontalSpacing={6} verticalSpacing={4}>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Tier</Table.Th>
                  <Table.Th>Code</Table.Th>
                  <Table.Th>Text</Table.Th>
                  <Table.Th>Meaning</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {data.codes.map(({ tier, code, text, meaning }) => (
                  <Table.Tr key={tier}>
                    <Table.Td>{tier}</Table.Td>
                    <Table.Td>{code}</Table.Td>
                    <Table.Td className={classes.wraps}>{text}</Table.Td>
                    <Table.Td className={classes.wraps}>{meaning}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </Panel>
      </div>
      <Panel
        title="Parameters"
        actions={
          <Text size="sm" c="dimmed">
            {data.parameters.length}
          </Text>
        }
      >
        <Table.ScrollContainer minWidth={560} type="native" tabIndex={0}>
          <Table aria-label="Parameters">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>Value, masked</Table.Th>
                <Table.Th>Description</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {data.parameters.map(({ name, value, meaning }) => (
                <Table.Tr key={name} className={name === data.refField ? classes.fault : undefined}>
                  <Table.Th scope="row" fw={500}>
                    {name}
                  </Table.Th>
                  <Table.Td className={classes.value}>{value}</Table.Td>
                  <Table.Td c="dimmed">{meaning}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
        {data.unknown.length > 0 && (
          <Text size="sm" mt="xs">
            Unknown parameters, ignored: {data.unknown.join(', ')}
          </Text>
        )}
      </Panel>
      {data.curl !== null && (
        <Panel
          title="Command"
          actions={
            <Text size="sm" c="dimmed">
              Replace the values in angle brackets. They were never stored.
            </Text>
          }
        >
          <Code block tabIndex={0} className={classes.command} aria-label="curl command">
            {curlHere(data.curl)}
          </Code>
        </Panel>
      )}
    </Page>
  )
}

function whyPath({ id, transactionId }: RequestDetail): string {
  return transactionId === null
    ? `/developer/requests/${id}/why`
    : `/developer/why/${transactionId}`
}

/** The gateway is where its portal is. */
export function curlHere(text: string): string {
  return text.replace('BASE', location.origin)
}

export function CopyCurl({
  text,
  label = 'Copy as curl',
}: {
  readonly text: string
  readonly label?: string
}) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          onClick={copy}
          leftSection={
            copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />
          }
        >
          <Group gap={4}>{copied ? 'Copied' : label}</Group>
        </Button>
      )}
    </CopyButton>
  )
}
