import { Alert, Button, Grid, Group, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ChargeView, MembershipView } from '@tollgate/portal-contract/answers/customers'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { actorText } from '../parts/actor-text.ts'
import { Amount } from '../parts/amount.tsx'
import { cardText } from '../parts/card-text.ts'
import { Copyable } from '../parts/copyable.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { Facts } from '../parts/facts.tsx'
import { Found } from '../parts/found.tsx'
import { ModeBadge } from '../parts/mode-badge.tsx'
import { Page } from '../parts/page.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { ChargeNow, isDueNow } from './charge-now.tsx'
import { MembershipDialogue, type MembershipRequest } from './membership-dialogues.tsx'
import { expiryText, OUTCOMES, STATES, STEP_MEANINGS, STEPS, termsText } from './words.ts'

export function MembershipPage() {
  const { membershipId } = useParams({ from: '/memberships/$membershipId' })
  const membership = useQuery({
    queryKey: ['membership', membershipId],
    queryFn: ({ signal }) => call(routes.memberships.read, { path: { membershipId }, signal }),
    // A charge takes a moment; its end is shown without asking for it.
    refetchInterval: ({ state: { data } }) =>
      data?.isCharging === true || isDueNow(data) ? 1_500 : false,
  })
  return (
    <Found
      query={membership}
      title="Membership"
      missing={{
        title: 'Membership not found',
        text: `None of your memberships has the id ${membershipId}.`,
        action: (
          <Link className="link" to="/memberships">
            All memberships
          </Link>
        ),
      }}
    >
      {(found) => <Shown membership={found} />}
    </Found>
  )
}

function Shown({ membership }: { readonly membership: MembershipView }) {
  const { id, state, product, nextProduct, currency, next, overAt, customer, card } = membership
  const mayChange = useMay('memberships.change')
  const [request, setRequest] = useState<MembershipRequest | null>(null)
  const isOver = state === 'cancelled' || state === 'ended'
  const renews = product.type === 'renews' && (state === 'active' || state === 'past_due')
  return (
    <Page
      title={`Membership ${id}`}
      text={
        <>
          {product.name || product.productId} of{' '}
          <Link className="link" to="/customers/$customerId" params={{ customerId: customer.id }}>
            {customer.name || customer.email || `customer ${customer.id}`}
          </Link>{' '}
          <StatusBadge state={state} label={STATES[state]?.title ?? state} />{' '}
          {membership.mode === 'test' && <ModeBadge mode="test" />}
        </>
      }
      actions={
        mayChange &&
        !isOver && (
          <>
            {membership.open !== null && (
              <Button onClick={() => setRequest('retry')} disabled={membership.isCharging}>
                Retry now
              </Button>
            )}
            <Button variant="default" onClick={() => setRequest('card')}>
              Change card
            </Button>
            {renews && (
              <Button variant="default" onClick={() => setRequest('product')}>
                Change product
              </Button>
            )}
            <Button
              variant="default"
              c="var(--mantine-color-error)"
              onClick={() => setRequest('cancel')}
            >
              Cancel
            </Button>
          </>
        )
      }
    >
      <Standing membership={membership} />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="md">
            <Panel title="Terms">
              <Facts
                facts={[
                  [
                    'Product',
                    `${product.name || product.productId}${product.name === '' ? '' : ` (${product.productId})`}`,
                  ],
                  ['Price', termsText(product, currency)],
                  [
                    'From the next renewal',
                    nextProduct &&
                      `${nextProduct.name || nextProduct.productId}: ${termsText(nextProduct, currency)}`,
                  ],
                  [
                    'Card',
                    card === null
                      ? 'deleted: add another card'
                      : `${cardText(card)}, expires ${expiryText(card.expiry)}`,
                  ],
                  [
                    'Paid period',
                    membership.paid && (
                      <Period
                        key="paid"
                        from={membership.paid.from}
                        until={membership.paid.until}
                      />
                    ),
                  ],
                  ['Next', next && <NextStep key="next" next={next} currency={currency} />],
                  [isOver ? 'Ended on' : 'Ends on', overAt && <When key="over" at={overAt} />],
                  ['Started', <When key="began" at={membership.createdAt} />],
                  [
                    'First order',
                    <Link
                      key="first"
                      className="link"
                      to="/orders/$orderId"
                      params={{ orderId: membership.orderId }}
                    >
                      {membership.orderId}
                    </Link>,
                  ],
                  ['Id', <Copyable key="id" text={id} />],
                ]}
              />
            </Panel>
            {membership.agenda.length > 0 && (
              <Panel title="Schedule if every charge is approved">
                <DataTable
                  label="Schedule"
                  columns={agendaColumns(currency)}
                  rows={membership.agenda}
                  keyOf={({ kind, at }) => `${kind} ${at}`}
                  empty={null}
                />
              </Panel>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="md">
            <OpenRenewal membership={membership} />
            <Panel title="Renewal charges">
              <DataTable
                label="Renewal charges"
                columns={CHARGE_COLUMNS}
                rows={membership.charges}
                keyOf={({ dueAt, attempt }) => `${dueAt} ${attempt}`}
                empty={
                  <Text size="sm" c="dimmed">
                    No renewals yet. The first order paid for the first period.
                  </Text>
                }
              />
            </Panel>
            {membership.operations.length > 0 && (
              <Panel title="Changes">
                <DataTable
                  label="Changes"
                  columns={OPERATION_COLUMNS}
                  rows={membership.operations}
                  keyOf={({ at, what }) => `${at} ${what}`}
                  empty={null}
                />
              </Panel>
            )}
          </Stack>
        </Grid.Col>
      </Grid>
      {request !== null && (
        <MembershipDialogue
          membership={membership}
          request={request}
          onClose={() => setRequest(null)}
        />
      )}
    </Page>
  )
}

/** The state in words, and what follows from it. */
function Standing({ membership }: { readonly membership: MembershipView }) {
  const { state, product, isCharging, next } = membership
  const color = state === 'active' ? 'green' : state === 'past_due' ? 'orange' : 'gray'
  return (
    <>
      <Alert color={color} variant="light" py="xs" role="note">
        <strong>{STATES[state]?.title ?? state}.</strong>{' '}
        {state !== 'active'
          ? STATES[state]?.meaning
          : product.type === 'renews'
            ? 'Paid. The next charge is due when the paid period ends.'
            : 'Paid. It ends after this period without another charge.'}{' '}
        {isCharging && 'The card is being charged right now.'}
        {!isCharging && next !== null && state === 'past_due' && STEP_MEANINGS[next.kind]}
      </Alert>
      <ChargeNow membership={membership} />
    </>
  )
}

function NextStep({
  next,
  currency,
}: {
  readonly next: NonNullable<MembershipView['next']>
  readonly currency: string
}) {
  return (
    <>
      {STEPS[next.kind] ?? next.kind} <When at={next.at} />
      {next.amountMinor !== null && (
        <>
          : <Amount minor={next.amountMinor} currency={currency} />
        </>
      )}
    </>
  )
}

function Period({ from, until }: { readonly from: string; readonly until: string | null }) {
  return (
    <>
      <When at={from} dayOnly /> to {until === null ? 'no end' : <When at={until} dayOnly />}
    </>
  )
}

/** A renewal that is due and not paid: when it is tried again, and what the networks allow. */
function OpenRenewal({
  membership: { open, next, currency },
}: {
  readonly membership: MembershipView
}) {
  if (open === null) return null
  const upcoming = open.retries.filter(({ isPast }) => !isPast)
  return (
    <Panel title="Unpaid renewal">
      <Facts
        facts={[
          ['Due', <When key="due" at={open.dueAt} />],
          ['Amount', <Amount key="amount" minor={open.amountMinor} currency={currency} />],
          ['Attempts', String(open.attempts)],
          ['Next', next && <NextStep key="next" next={next} currency={currency} />],
          [
            'Planned retries',
            open.retries.length > 0 && (
              <Group key="retries" gap="xs">
                {open.retries.map(({ at, isPast }) => (
                  <Text
                    key={at}
                    span
                    inherit
                    td={isPast ? 'line-through' : undefined}
                    c={isPast ? 'dimmed' : undefined}
                  >
                    <When at={at} dayOnly />
                  </Text>
                ))}
              </Group>
            ),
          ],
        ]}
      />
      {open.attempts > 0 && !open.now.allowed && (
        <Alert
          color="orange"
          py="xs"
          title={
            open.now.at === null
              ? 'Card network rules forbid another attempt'
              : 'Card network rules require a wait'
          }
        >
          <Text size="sm">
            {open.now.reason}{' '}
            {open.now.at !== null && (
              <>
                You can retry from <When at={open.now.at} />.
              </>
            )}
          </Text>
        </Alert>
      )}
      {upcoming.length === 0 && open.retries.length > 0 && (
        <Text size="sm" c="dimmed">
          No planned retries are left. If the next attempt is declined, the membership is cancelled.
        </Text>
      )}
    </Panel>
  )
}

function agendaColumns(currency: string): readonly Column<MembershipView['agenda'][number]>[] {
  return [
    { key: 'at', title: 'When', cell: ({ at }) => <When at={at} dayOnly /> },
    { key: 'kind', title: 'Event', cell: ({ kind }) => STEPS[kind] ?? kind },
    {
      key: 'amount',
      title: 'Amount',
      align: 'right',
      cell: ({ amountMinor }) =>
        amountMinor !== null && <Amount minor={amountMinor} currency={currency} />,
    },
  ]
}

const CHARGE_COLUMNS: readonly Column<ChargeView>[] = [
  {
    key: 'at',
    title: 'Time',
    cell: ({ at, dueAt, attempt }) => (
      <>
        <When at={at} />
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          for <When at={dueAt} dayOnly />
          {attempt > 1 && `, attempt ${attempt}`}
        </Text>
      </>
    ),
  },
  { key: 'card', title: 'Card', cell: ({ card }) => cardText(card) },
  {
    key: 'amount',
    title: 'Amount',
    align: 'right',
    cell: ({ amountMinor, currency }) => <Amount minor={amountMinor} currency={currency} />,
  },
  {
    key: 'outcome',
    title: 'Outcome',
    cell: ({ outcome, reason }) => (
      <>
        <StatusBadge
          state={OUTCOMES[outcome]?.state ?? outcome}
          label={OUTCOMES[outcome]?.title ?? outcome}
        />
        {outcome !== 'approved' && (
          <Text size="xs" c="dimmed" miw={120}>
            {reason}
          </Text>
        )}
      </>
    ),
  },
  {
    key: 'order',
    title: 'Order',
    cell: ({ orderId }) =>
      orderId !== null && (
        <Link className="link" to="/orders/$orderId" params={{ orderId }}>
          {orderId}
        </Link>
      ),
  },
]

const OPERATION_COLUMNS: readonly Column<MembershipView['operations'][number]>[] = [
  { key: 'at', title: 'Time', cell: ({ at }) => <When at={at} /> },
  { key: 'who', title: 'User', cell: ({ actor }) => actorText(actor) },
  { key: 'what', title: 'Event', cell: ({ what }) => what },
]
