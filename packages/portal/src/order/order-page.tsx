import { Group, Stack, Text } from '@mantine/core'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { OrderPage as Order } from '@tollgate/portal-contract/answers/order'
import { cardText } from '../parts/card-text.ts'
import { Copyable } from '../parts/copyable.tsx'
import { Email } from '../parts/email.tsx'
import { Facts } from '../parts/facts.tsx'
import { Found } from '../parts/found.tsx'
import { ModeBadge } from '../parts/mode-badge.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { DisputePanel } from './dispute-panel.tsx'
import { LedgerPanel } from './ledger-panel.tsx'
import { NoteForm } from './note-form.tsx'
import { OperatorFeesPanel } from './operator-fees-panel.tsx'
import { OrderActions } from './order-actions.tsx'
import { OrderLines } from './order-lines.tsx'
import { OrderSums } from './order-sums.tsx'
import classes from './order.module.css'
import { RefusalPanel } from './refusal-panel.tsx'
import { SandboxOperations } from './sandbox-operations.tsx'
import { SettlementPanel } from './settlement-panel.tsx'
import { Timeline } from './timeline.tsx'
import { useOrder } from './use-order.ts'

const route = getRouteApi('/orders/$orderId')

export function OrderPage() {
  const { orderId } = route.useParams()
  const order = useOrder(orderId)
  return (
    <Found
      query={order}
      title={`Order ${orderId}`}
      missing={{
        title: `Order ${orderId} not found`,
        text: 'Check the number. Orders of other merchants are not shown.',
        action: (
          <Link className="link" to={'/orders'}>
            All orders
          </Link>
        ),
      }}
    >
      {(found) => <ShownOrder order={found} />}
    </Found>
  )
}

function ShownOrder({ order }: { readonly order: Order }) {
  const mayNote = useMay('orders.note')
  return (
    <Page
      title={`Order ${order.id}`}
      text={
        <Group component="span" gap={8}>
          <StatusBadge state={order.status.word} />
          {order.mode === 'test' && <ModeBadge mode="test" />}
          {order.status.sentence}
        </Group>
      }
      actions={<OrderActions order={order} />}
    >
      <OrderSums money={order.money} currency={order.currency} kind={order.kind} />
      {order.expiresAt !== null && (
        <Text size="sm">
          This authorization expires on <When at={order.expiresAt} />. Capture it before then.
        </Text>
      )}
      {order.refusal !== null && <RefusalPanel refusal={order.refusal} />}
      <DisputePanel orderId={order.id} />
      {order.lines.length > 0 && <OrderLines lines={order.lines} currency={order.currency} />}
      <div className={classes.columns}>
        <Stack gap="md" miw={0}>
          <Timeline order={order} />
          {mayNote && (
            <div className={classes.noPrint}>
              <Panel title="Notes">
                <NoteForm orderId={order.id} />
              </Panel>
            </div>
          )}
        </Stack>
        <Stack gap="md" miw={0}>
          <OrderFacts order={order} />
        </Stack>
      </div>
      <SandboxOperations order={order} />
      <SettlementPanel settlements={order.settlements} />
      <OperatorFeesPanel operatorFees={order.operatorFees} />
      <LedgerPanel ledger={order.ledger} currency={order.currency} />
    </Page>
  )
}

function OrderFacts({ order }: { readonly order: Order }) {
  const { customer, card, checks, authorization } = order
  const maySeeCustomers = useMay('customers.see')
  return (
    <>
      <Panel title="Card">
        <Facts
          facts={[
            ['Card', cardText(card, card.bin)],
            ['Expires', card.expiry],
            ['Type', card.detail],
            ['AVS result', inWords(checks.avs)],
            ['CVV result', inWords(checks.cvv)],
            ['3-D Secure', inWords(checks.threeDs)],
            ['ECI', inWords(checks.eci)],
          ]}
        />
      </Panel>
      <Panel title="Customer">
        <Facts
          facts={[
            [
              'Name',
              maySeeCustomers ? (
                <Link
                  key="name"
                  className="link"
                  to="/customers/$customerId"
                  params={{ customerId: customer.id }}
                >
                  {customer.name || `Customer ${customer.id}`}
                </Link>
              ) : (
                customer.name
              ),
            ],
            [
              'E-mail',
              customer.email === '' ? null : <Email key="email" address={customer.email} />,
            ],
            ['Phone', customer.phone],
            ['Billing address', customer.billing.join(', ')],
            ['Shipping address', customer.shipping.join(', ')],
            ['Customer', <Copyable key="id" text={customer.id} />],
            ['Your customer id', customer.reference],
          ]}
        />
      </Panel>
      <Panel title="Order">
        <Facts
          facts={[
            [
              'Your order id',
              order.reference === '' ? null : <Copyable key="reference" text={order.reference} />,
            ],
            ['Created', <When key="made" at={order.createdAt} />],
            ['Site', `${order.site.name} (${order.site.id})`],
            ['Account', `${order.account.name} (${order.account.id}), ${order.account.processor}`],
            ['Authorization code', authorization.code],
            ['Retrieval reference', authorization.retrievalReference],
            ['Network id', authorization.networkTransactionId],
            ['Your membership id', order.membershipReference],
            ['Receipt', order.receipt],
          ]}
        />
      </Panel>
    </>
  )
}

function inWords(check: { readonly code: string; readonly words: string } | null): string | null {
  return check === null ? null : `${check.code}: ${check.words}`
}
