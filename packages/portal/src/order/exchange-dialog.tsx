import { Alert, Code, Modal, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Exchange } from '@tollgate/portal-contract/answers/order'
import * as routes from '@tollgate/portal-contract/routes'
import { Fault } from '../parts/fault.tsx'
import { When } from '../parts/when.tsx'
import { call } from '../shell/api.ts'
import classes from './order.module.css'

interface ExchangeDialogProps {
  readonly orderId: string
  readonly transactionId: string
  readonly title: string
  readonly onClose: () => void
}

/** What was asked for, masked, and what was answered. */
export function ExchangeDialog({ orderId, transactionId, title, onClose }: ExchangeDialogProps) {
  const exchange = useQuery({
    queryKey: ['order', orderId, 'exchange', transactionId],
    queryFn: ({ signal }) =>
      call(routes.order.exchange, { path: { id: orderId, transaction: transactionId }, signal }),
    staleTime: Infinity,
  })
  return (
    <Modal opened onClose={onClose} size="xl" title={`${title}: transaction ${transactionId}`}>
      {exchange.error !== null && (
        <Fault error={exchange.error} onRetry={() => void exchange.refetch()} />
      )}
      {exchange.isPending && <Skeleton height={220} />}
      {exchange.data !== undefined && (
        <Stack gap="md">
          <RequestPart request={exchange.data.request} />
          <section>
            <Title order={3} size="h6" mb={4}>
              Answer ({exchange.data.answer.format})
            </Title>
            <Text size="xs" c="dimmed" mb={6}>
              Written again from what is stored of the transaction: what a repeat of the request is
              answered. The way to a 3-D Secure challenge is told only once, and not here.
            </Text>
            <Code block className={classes.code} tabIndex={0}>
              {exchange.data.answer.text.trim()}
            </Code>
          </section>
        </Stack>
      )}
    </Modal>
  )
}

function RequestPart({ request }: { readonly request: Exchange['request'] }) {
  if (request === null) {
    return (
      <Alert variant="light" color="gray">
        No program asked for it, or its request is kept no longer.
      </Alert>
    )
  }
  return (
    <section>
      <Title order={3} size="h6" mb={4}>
        Request {request.requestId}
      </Title>
      <Text size="xs" c="dimmed" mb={6}>
        {request.username} from {request.address}, <When at={request.receivedAt} />,{' '}
        {request.tookMs} ms, HTTP {request.httpStatus}. Masked when it came in.
      </Text>
      <Table aria-label="Parameters" verticalSpacing={2}>
        <Table.Tbody>
          {Object.entries(request.parameters).map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400} c="dimmed">
                {name}
              </Table.Th>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                {typeof value === 'string' ? value : JSON.stringify(value)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}
