import { ActionIcon, Group, Text, Tooltip } from '@mantine/core'
import { IconCreditCardPay, IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { SavedCardView, CustomerView } from '@tollgate/portal-contract/answers/customers'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { cardText } from '../parts/card-text.ts'
import { Confirm } from '../parts/confirm.tsx'
import { DataTable, type Column } from '../parts/data-table.tsx'
import { showDone } from '../parts/done.ts'
import { LinkIcon } from '../parts/links.tsx'
import { ModeBadge } from '../parts/mode-badge.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { RemovalAlerts } from './removal-alerts.tsx'
import { expiryText } from './words.ts'

/** A customer's saved cards, and those that were taken away. */
export function CustomerCards({ customer }: { readonly customer: CustomerView }) {
  const mayRemove = useMay('customers.change')
  const mayCharge = useMay('terminal.use')
  const [removed, setRemoved] = useState<SavedCardView | null>(null)
  const actions: Column<SavedCardView> = {
    key: 'actions',
    title: 'Actions',
    align: 'right',
    cell: (card) =>
      card.removedAt === null && (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {mayCharge && (
            <Tooltip label="Charge this card">
              <LinkIcon
                variant="subtle"
                aria-label={`Charge ${cardText(card)}`}
                to={'/terminal'}
                search={{ customer: customer.id, card: card.id, mode: card.mode }}
              >
                <IconCreditCardPay size={18} />
              </LinkIcon>
            </Tooltip>
          )}
          {mayRemove && (
            <Tooltip label="Delete this card">
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={`Delete ${cardText(card)}`}
                onClick={() => setRemoved(card)}
              >
                <IconTrash size={18} />
              </ActionIcon>
            </Tooltip>
          )}
        </Group>
      ),
  }
  return (
    <Panel title="Cards">
      <DataTable
        label="Cards"
        columns={mayRemove || mayCharge ? [...COLUMNS, actions] : COLUMNS}
        rows={customer.cards}
        keyOf={({ id }) => id}
        empty={
          <Text size="sm" c="dimmed">
            No saved cards.
          </Text>
        }
      />
      {removed !== null && (
        <RemoveCard customer={customer} card={removed} onClose={() => setRemoved(null)} />
      )}
    </Panel>
  )
}

function RemoveCard({
  customer,
  card,
  onClose,
}: {
  readonly customer: CustomerView
  readonly card: SavedCardView
  readonly onClose: () => void
}) {
  const path = { customerId: customer.id, cardId: card.id }
  const removal = useQuery({
    queryKey: ['customer', customer.id, 'removal', card.id],
    queryFn: ({ signal }) => call(routes.customers.readRemoval, { path, signal }),
    staleTime: 0,
  })
  const against = removal.data?.standsAgainst ?? []
  return (
    <Confirm
      opened
      title={`Delete ${cardText(card)}`}
      action="Delete card"
      dangerous
      disabled={removal.data === undefined || against.length > 0}
      onClose={onClose}
      onConfirm={async () => {
        await call(routes.customers.removeCard, { path })
        showDone(`${cardText(card)} was deleted and its number erased.`)
        await everythingChanged()
      }}
    >
      <Text size="sm">
        The card number is erased permanently. The card can no longer be charged, here or through
        the payment interface. Its past payments stay on record.
      </Text>
      <RemovalAlerts
        error={removal.error}
        against={against}
        refundable={removal.data?.refundable ?? []}
        notYet="This card cannot be deleted yet"
        lost="can still be refunded to this card. Once it is deleted, you cannot refund them."
      />
    </Confirm>
  )
}

const COLUMNS: readonly Column<SavedCardView>[] = [
  {
    key: 'card',
    title: 'Card',
    cell: (card) => (
      <>
        <Text
          span
          inherit
          style={{ whiteSpace: 'nowrap' }}
          c={card.removedAt === null ? undefined : 'dimmed'}
        >
          {cardText(card, card.bin)}
        </Text>
        <Group gap={6} wrap="nowrap">
          <ModeBadge mode={card.mode} />
          <CardState card={card} />
        </Group>
      </>
    ),
  },
  {
    key: 'expiry',
    title: 'Expiry',
    cell: ({ expiry, expires, removedAt }) => (
      <Group gap={6} wrap="nowrap">
        {expiryText(expiry)}
        {removedAt === null && expires === 'past' && <StatusBadge state="failed" label="expired" />}
        {removedAt === null && expires === 'soon' && (
          <Tooltip label="Expires within 60 days. Ask the customer for the new card, or wait for an account update.">
            <span>
              <StatusBadge state="past_due" label="expires soon" />
            </span>
          </Tooltip>
        )}
      </Group>
    ),
  },
  {
    key: 'use',
    title: 'Last use',
    cell: ({ firstUsedAt, lastUsedAt }) => (
      <>
        <When at={lastUsedAt} dayOnly />
        <Text size="xs" c="dimmed">
          first <When at={firstUsedAt} dayOnly />
        </Text>
      </>
    ),
  },
]

/** The state of the card, its last account update, and the memberships that charge it. */
function CardState({ card: { memberships, removedAt, update } }: { readonly card: SavedCardView }) {
  if (removedAt !== null)
    return (
      <Text size="xs" c="dimmed">
        deleted <When at={removedAt} dayOnly />
      </Text>
    )
  const parts = [
    memberships === 0
      ? ''
      : `charged by ${memberships} ${memberships === 1 ? 'membership' : 'memberships'}`,
    update === null
      ? ''
      : `account update: ${update.description}${update.on === null ? '' : ` (${update.on})`}`,
  ].filter((part) => part !== '')
  return (
    <Text size="xs" c="dimmed">
      {parts.join('; ')}
    </Text>
  )
}
