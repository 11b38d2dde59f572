import { Alert, Anchor, Grid, Stack, Text } from '@mantine/core'
import { IconUsersGroup } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type {
  CustomerAddress,
  CustomerOrder,
  CustomerView,
} from '@tollgate/portal-contract/answers/customers'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { Amount } from '../parts/amount.tsx'
import { Copyable } from '../parts/copyable.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Email } from '../parts/email.tsx'
import { Facts } from '../parts/facts.tsx'
import { Found } from '../parts/found.tsx'
import { ModeBadge } from '../parts/mode-badge.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { call } from '../shell/api.ts'
import { CustomerActions } from './customer-actions.tsx'
import { CustomerCards } from './customer-cards.tsx'
import { ErasedNotice } from './erase-customer.tsx'
import { STATES } from './words.ts'

export function CustomerPage() {
  const { customerId } = useParams({ from: '/customers/$customerId' })
  const customer = useQuery({
    queryKey: ['customer', customerId],
    queryFn: ({ signal }) => call(routes.customers.read, { path: { customerId }, signal }),
  })
  return (
    <Found
      query={customer}
      title="Customer"
      missing={{
        title: 'Customer not found',
        text: `None of your customers has the id ${customerId}.`,
        action: (
          <Link className="link" to="/customers">
            All customers
          </Link>
        ),
      }}
    >
      {(found) => <Shown customer={found} />}
    </Found>
  )
}

function Shown({ customer }: { readonly customer: CustomerView }) {
  const { id, contact, others, orders, memberships } = customer
  const navigate = useNavigate()
  const name = `${contact.firstName} ${contact.lastName}`.trim()
  return (
    <Page
      title={name === '' ? `Customer ${id}` : name}
      text={
        <>
          Customer <Copyable text={id} /> <ModeBadge mode={customer.mode} />
        </>
      }
      actions={<CustomerActions customer={customer} />}
    >
      <ErasedNotice customer={customer} />
      <SimilarCustomers customer={customer} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="md">
            <Panel title="Contact">
              <Facts
                facts={[
                  [
                    'E-mail',
                    contact.email === '' ? null : <Email key="email" address={contact.email} />,
                  ],
                  ['Phone', contact.phone],
                  [
                    'Your customer id',
                    customer.reference === '' ? null : <Copyable text={customer.reference} />,
                  ],
                  ['Login', customer.login],
                  ['Since', <When key="since" at={customer.createdAt} />],
                  ...Object.entries(others).map(([key, value]) => [key, value] as const),
                ]}
              />
            </Panel>
            <Panel title="Addresses">
              <Facts
                facts={[
                  ['Billing', <Address key="billing" address={contact.billing} />],
                  ['Shipping', <Address key="shipping" address={contact.shipping} />],
                ]}
              />
            </Panel>
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="md">
            <CustomerCards customer={customer} />
            <Panel title="Memberships">
              <DataTable
                label="Memberships"
                columns={MEMBERSHIP_COLUMNS}
                rows={memberships}
                keyOf={(membership) => membership.id}
                onOpen={(membership) =>
                  void navigate({
                    to: '/memberships/$membershipId',
                    params: { membershipId: membership.id },
                  })
                }
                empty={
                  <Text size="sm" c="dimmed">
                    No memberships. A membership starts with a payment for a product that renews.
                  </Text>
                }
              />
            </Panel>
            <Panel
              title="Recent orders"
              actions={
                <Text span size="sm">
                  <Link className="link" to={'/orders'} search={{ customer: id }}>
                    All orders
                  </Link>
                </Text>
              }
            >
              <DataTable
                label="Recent orders"
                columns={ORDER_COLUMNS}
                rows={orders}
                keyOf={(order) => order.id}
                onOpen={(order) =>
                  void navigate({ to: '/orders/$orderId', params: { orderId: order.id } })
                }
                empty={
                  <Text size="sm" c="dimmed">
                    No orders.
                  </Text>
                }
              />
            </Panel>
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  )
}

/** Only a hint: nothing is ever put together by itself. */
function SimilarCustomers({ customer: { similar } }: { readonly customer: CustomerView }) {
  const [all, setAll] = useState(false)
  if (similar.length === 0) return null
  const shown = all ? similar : similar.slice(0, FEW)
  return (
    <Alert
      color="blue"
      variant="light"
      icon={<IconUsersGroup size={18} />}
      title="Possible duplicates"
    >
      {shown.map(({ id, name, email, because }) => (
        <Text key={id} size="sm">
          <Link className="link" to="/customers/$customerId" params={{ customerId: id }}>
            {name === '' ? `Customer ${id}` : name}
          </Link>{' '}
          ({id}
          {email === '' ? '' : `, ${email}`}) has{' '}
          {because.map((each) => REASONS[each]).join(' and ')}.
        </Text>
      ))}
      {shown.length < similar.length && (
        <Anchor component="button" type="button" size="sm" onClick={() => setAll(true)}>
          {similar.length - FEW} more
        </Anchor>
      )}
    </Alert>
  )
}

const FEW = 3
const REASONS = { card: 'the same card', email: 'the same e-mail address' } as const

function Address({ address }: { readonly address: CustomerAddress }) {
  const { street, street2, city, state, postalCode, country, district } = address
  const lines = [
    street,
    street2,
    district,
    [postalCode, city, state].filter((part) => part !== '').join(' '),
    country,
  ]
  const shown = lines.filter((line) => line !== '')
  if (shown.length === 0)
    return (
      <Text span inherit c="dimmed">
        not known
      </Text>
    )
  return shown.map((line, at) => <div key={`${at} ${line}`}>{line}</div>)
}

const MEMBERSHIP_COLUMNS: readonly Column<CustomerView['memberships'][number]>[] = [
  {
    key: 'id',
    title: 'Membership',
    cell: ({ id }) => (
      <Link
        className="link"
        to="/memberships/$membershipId"
        params={{ membershipId: id }}
        tabIndex={-1}
      >
        {id}
      </Link>
    ),
  },
  {
    key: 'product',
    title: 'Product',
    cell: ({ product, productName }) => (productName === '' ? product : productName),
  },
  {
    key: 'state',
    title: 'State',
    cell: ({ state }) => <StatusBadge state={state} label={STATES[state]?.title ?? state} />,
  },
  { key: 'next', title: 'Next', cell: ({ nextAt }) => nextAt !== null && <When at={nextAt} /> },
]

const ORDER_COLUMNS: readonly Column<CustomerOrder>[] = [
  {
    key: 'id',
    title: 'Order',
    cell: ({ id, reference }) => (
      <>
        <Link className="link" to="/orders/$orderId" params={{ orderId: id }} tabIndex={-1}>
          {id}
        </Link>
        {reference !== '' && (
          <Text size="xs" c="dimmed">
            {reference}
          </Text>
        )}
      </>
    ),
  },
  { key: 'at', title: 'Time', cell: ({ createdAt }) => <When at={createdAt} /> },
  {
    key: 'state',
    title: 'State',
    cell: ({ kind, state, capturedMinor }) => {
      const shown =
        state === 'authorized' && kind !== 'payment'
          ? 'approved'
          : state === 'authorized' && capturedMinor !== '0'
            ? 'captured'
            : state
      return <StatusBadge state={shown} label={kind === 'payment' ? shown : `refund ${shown}`} />
    },
  },
  {
    key: 'amount',
    title: 'Amount',
    align: 'right',
    cell: ({ requestedMinor, currency }) => <Amount minor={requestedMinor} currency={currency} />,
  },
  {
    key: 'refunded',
    title: 'Refunded',
    align: 'right',
    cell: ({ refundedMinor, currency }) => <Amount minor={refundedMinor} currency={currency} />,
  },
]
