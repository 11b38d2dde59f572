import { Alert, Code, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { Exchange } from '@tollgate/portal-contract/answers/order'
import * as routes from '@tollgate/portal-contract/routes'
import { Dialog } from '../parts/dialog.tsx'
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

/** The masked request and its response. */
export function ExchangeDialog({ orderId, transactionId, title, onClose }: ExchangeDialogProps) {
  const exchange = useQuery({
    queryKey: ['order', orderId, 'exchange', transactionId],
    queryFn: ({ signal }) =>
      call(routes.order.exchange, { path: { id: orderId, transaction: transactionId }, signal }),
    staleTime: Infinity,
  })
  return (
    <Dialog opened onClose={onClose} size="xl" title={`${title}: transaction ${transactionId}`}>
      {exchange.error !== null && (
        <Fault error={exchange.error} onRetry={() => void exchange.refetch()} />
      )}
      {exchange.isPending && <Skeleton height={220} />}
      {exchange.data !== undefined && (
        <Stack gap="md">
          <RequestPart request={exchange.data.request} />
          <section>
            <Title order={3} size="h6" mb={4}>
              Response ({exchange.data.answer.format})
            </Title>
            <Text size="xs" c="dimmed" mb={6}>
              Rebuilt from the stored transaction, as a repeated request gets it. The 3-D Secure
              challenge address was returned only once and is not shown.
            </Text>
            <Code block className={classes.code} tabIndex={0}>
              {exchange.data.answer.text.trim()}
            </Code>
          </section>
        </Stack>
      )}
    </Dialog>
  )
}

function RequestPart({ request }: { readonly request: Exchange['request'] }) {
  if (request === null) {
    return (
      <Alert variant="light" color="gray">
        No program sent a request, or the request is no longer kept.
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
        {request.tookMs} ms, HTTP {request.httpStatus}. Masked when received.
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
