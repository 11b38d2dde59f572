import { Alert, Radio, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { MembershipView } from '@tollgate/portal-contract/answers/customers'
import * as routes from '@tollgate/portal-contract/routes'
import type { MembershipRequest as ChosenRequest } from '@tollgate/portal-contract/routes/customers'
import { useState, type ReactNode } from 'react'
import { amountText } from '../parts/amount.tsx'
import { cardText } from '../parts/card-text.ts'
import { Confirm } from '../parts/confirm.tsx'
import { showDone } from '../parts/done.ts'
import { newKey } from '../parts/operation-key.ts'
import { timeText } from '../parts/when.tsx'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'
import { expiryText, termsText } from './words.ts'

export type MembershipRequest = 'retry' | 'card' | 'product' | 'cancel'

interface DialogueProps {
  readonly membership: MembershipView
  readonly onClose: () => void
}

export function MembershipDialogue({
  request,
  ...props
}: DialogueProps & { readonly request: MembershipRequest }) {
  if (request === 'retry') return <RetryNow {...props} />
  if (request === 'card') return <ChangeCard {...props} />
  return request === 'product' ? <ChangeProduct {...props} /> : <Cancel {...props} />
}

interface SendProps extends DialogueProps {
  readonly title: string
  readonly action: string
  readonly dismiss?: string
  readonly dangerous?: boolean
  readonly disabled?: boolean
  readonly request: ChosenRequest
  readonly children: ReactNode
}

/** Sends a request once, over what was seen when the dialogue was opened. */
function SendRequest({ membership, request, onClose, children, ...shown }: SendProps) {
  const [{ key, seen }] = useState(() => ({ key: newKey(), seen: membership.version }))
  return (
    <Confirm
      opened
      {...shown}
      onClose={onClose}
      onConfirm={async () => {
        try {
          const { what } = await call(routes.memberships.change, {
            path: { membershipId: membership.id },
            body: { key, seen, request },
          })
          showDone(what)
        } finally {
          await everythingChanged()
        }
      }}
    >
      {children}
    </Confirm>
  )
}

function RetryNow(props: DialogueProps) {
  const { open, currency, card } = props.membership
  if (open === null) return null
  const amount = amountText(open.amountMinor, currency)
  return (
    <SendRequest
      {...props}
      title="Retry now"
      action={`Charge ${amount}`}
      request={{ kind: 'retry' }}
      disabled={!open.now.allowed}
    >
      {open.now.allowed ? (
        <Text size="sm">
          {card === null ? 'The card' : cardText(card)} is charged {amount} now for the renewal of{' '}
          {timeText(open.dueAt)}. If the charge is declined, the planned retries continue. The next
          one is after a day at the earliest.
        </Text>
      ) : (
        <Alert color="orange" title="Retry not possible yet">
          {open.now.reason} {open.now.at !== null && `You can retry from ${timeText(open.now.at)}.`}
        </Alert>
      )}
    </SendRequest>
  )
}

function ChangeCard(props: DialogueProps) {
  const { cards, cardId, customer, open, currency } = props.membership
  const others = cards.filter(({ id }) => id !== cardId)
  const [chosen, setChosen] = useState(others[0]?.id ?? '')
  return (
    <SendRequest
      {...props}
      title="Change card"
      action={
        open === null
          ? 'Change card'
          : `Change card and charge ${amountText(open.amountMinor, currency)}`
      }
      request={{ kind: 'card', cardId: chosen }}
      disabled={others.length === 0}
    >
      {others.length === 0 ? (
        <Text size="sm">
          Customer {customer.id} has no other saved card. A payment or a card check with another
          card saves that card.
        </Text>
      ) : (
        <Stack gap="sm">
          <Radio.Group label="New card" value={chosen} onChange={setChosen}>
            <Stack gap={6} mt={4}>
              {others.map((card) => (
                <Radio
                  key={card.id}
                  value={card.id}
                  label={`${cardText(card)}, expires ${expiryText(card.expiry)}`}
                />
              ))}
            </Stack>
          </Radio.Group>
          <Text size="sm">
            {open === null
              ? 'Nothing is charged now. The next renewal uses the new card.'
              : `A renewal is unpaid: the new card is charged ${amountText(open.amountMinor, currency)} now.`}
          </Text>
        </Stack>
      )}
    </SendRequest>
  )
}

function ChangeProduct(props: DialogueProps) {
  const { siteId, product, nextProduct, currency, next } = props.membership
  const [chosen, setChosen] = useState<string | null>(null)
  const catalogue = useQuery({
    queryKey: ['products', siteId, {}],
    queryFn: ({ signal }) => call(routes.products.catalogue, { query: { site: siteId }, signal }),
  })
  const fitting = (catalogue.data?.products ?? []).filter(
    ({ active, terms, productId }) =>
      active &&
      terms !== null &&
      terms.currency === currency &&
      (productId !== product.productId || nextProduct !== null),
  )
  const wanted = fitting.find(({ productId }) => productId === chosen)
  const when =
    next === null || next.kind === 'give_up' ? 'with the next renewal' : `on ${timeText(next.at)}`
  return (
    <SendRequest
      {...props}
      title="Change product"
      action="Change product"
      request={{ kind: 'product', productId: chosen ?? '' }}
      disabled={wanted === undefined}
    >
      <Select
        label="Product from the next renewal"
        placeholder={catalogue.isPending ? 'Loading' : 'Choose a product'}
        searchable
        data-autofocus
        nothingFoundMessage="No other active product has this currency."
        data={fitting.map(({ productId, name, terms }) => ({
          value: productId,
          label: `${name || productId}: ${terms === null ? '' : termsText(terms, currency)}${productId === product.productId ? ' (cancels the change)' : ''}`,
        }))}
        value={chosen}
        onChange={setChosen}
      />
      {catalogue.data !== undefined && fitting.length === 0 && (
        <Text size="sm">
          No other product in {currency} is active on this site.{' '}
          <Link className="link" to="/products">
            Add a product
          </Link>{' '}
          first.
        </Text>
      )}
      {catalogue.error !== null && (
        <Alert color="red" role="alert">
          {catalogue.error.message}
        </Alert>
      )}
      <Text size="sm">
        {wanted === undefined || wanted.terms === null
          ? `Now: ${product.name || product.productId}, ${termsText(product, currency)}.`
          : wanted.productId === product.productId
            ? `The membership stays with ${termsText(product, currency)}.`
            : `Nothing is charged now. ${amountText(wanted.terms.priceMinor, currency)} is charged ${when}, and periods are counted from then.`}
      </Text>
    </SendRequest>
  )
}

function Cancel(props: DialogueProps) {
  const { state, product, paid, open, currency, isCharging } = props.membership
  const until = paid?.until ?? null
  const hasPeriod = product.type === 'renews' && open === null && state === 'active'
  const [when, setWhen] = useState<'at_rebill' | 'now'>(hasPeriod ? 'at_rebill' : 'now')
  return (
    <SendRequest
      {...props}
      title="Cancel membership"
      action={when === 'now' ? 'Cancel now' : 'Cancel at period end'}
      dismiss="Keep membership"
      dangerous
      request={{ kind: 'cancel', when }}
    >
      {hasPeriod ? (
        <Radio.Group
          label="When"
          value={when}
          onChange={(to) => setWhen(to === 'now' ? 'now' : 'at_rebill')}
        >
          <Stack gap={6} mt={4}>
            <Radio
              value="at_rebill"
              label="At the end of the paid period"
              description={
                until === null ? undefined : `Ends on ${timeText(until)}, without another charge.`
              }
            />
            <Radio
              value="now"
              label="Now"
              description="The customer loses the rest of the paid period. No refund is made automatically."
            />
          </Stack>
        </Radio.Group>
      ) : (
        <Text size="sm">
          {open === null
            ? 'The membership ends now. The customer loses the rest of the paid period. No refund is made automatically.'
            : `The membership ends now, because no paid period is left. The unpaid renewal of ${amountText(open.amountMinor, currency)} is no longer charged.`}
        </Text>
      )}
      {isCharging && (
        <Alert color="orange">
          The card is being charged right now. If you cancel now and that charge is approved, it is
          reversed.
        </Alert>
      )}
      <Text size="sm">
        You cannot undo this. To continue, sell the product to the customer again.
      </Text>
    </SendRequest>
  )
}
