import { Anchor, Group, SegmentedControl, Stack, Text } from '@mantine/core'
import {
  IconBuildingBank,
  IconCoins,
  IconId,
  IconMessage,
  IconRepeat,
  IconSearch,
  IconShieldLock,
  type Icon,
} from '@tabler/icons-react'
import { getRouteApi } from '@tanstack/react-router'
import type { OrderPage, TimelineEvent } from '@tollgate/portal-contract/answers/order'
import { useState } from 'react'
import { Amount } from '../parts/amount.tsx'
import { Facts } from '../parts/facts.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Panel } from '../parts/panel.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { timeText, When } from '../parts/when.tsx'
import { useMay } from '../session/session.ts'
import { ExchangeDialog } from './exchange-dialog.tsx'
import classes from './order.module.css'

const ICONS: Readonly<Record<TimelineEvent['kind'], Icon>> = {
  money: IconCoins,
  bank: IconBuildingBank,
  inquiry: IconSearch,
  three_ds: IconShieldLock,
  membership: IconRepeat,
  note: IconMessage,
  portal_user: IconId,
}

const route = getRouteApi('/orders/$orderId')

/** Everything that happened to an order, newest first unless the address says otherwise. */
export function Timeline({ order }: { readonly order: OrderPage }) {
  const { timeline = 'newest' } = route.useSearch()
  const navigate = route.useNavigate()
  const mayDevelop = useMay('developer.see')
  const mayBatches = useMay('batches.see')
  const [shown, setShown] = useState<TimelineEvent | null>(null)
  const events = timeline === 'oldest' ? order.timeline : order.timeline.toReversed()
  return (
    <Panel
      title="Timeline"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Sort order"
          data={[
            { value: 'newest', label: 'Newest first' },
            { value: 'oldest', label: 'Oldest first' },
          ]}
          value={timeline}
          onChange={(value) =>
            void navigate({
              search: value === 'oldest' ? { timeline: 'oldest' } : {},
              replace: true,
              resetScroll: false,
            })
          }
        />
      }
    >
      <ol className={classes.timeline} aria-label="Events">
        {events.map((event) => {
          const KindIcon = ICONS[event.kind]
          return (
            <li key={event.id} className={classes.event}>
              <span className={classes.icon} data-kind={event.kind}>
                <KindIcon size={18} stroke={1.6} aria-hidden />
              </span>
              <div>
                <Group gap={8} align="baseline">
                  <Text size="sm" fw={event.kind === 'money' ? 600 : undefined}>
                    {event.title}
                  </Text>
                  {event.state !== null && <StatusBadge state={event.state} />}
                  {event.amountMinor !== null && event.amountMinor !== '0' && (
                    <Text size="sm" span fw={event.kind === 'money' ? 600 : undefined}>
                      <Amount minor={event.amountMinor} currency={order.currency} />
                    </Text>
                  )}
                </Group>
                <Text size="xs" c="dimmed">
                  <When at={event.at} />
                  {event.who !== null && event.kind !== 'bank' && (
                    <>
                      {' · '}
                      {event.who.kind === 'api_user'
                        ? `API user ${event.who.name}`
                        : event.who.name}
                      {event.requestId !== null && (
                        <>
                          ,{' '}
                          {mayDevelop ? (
                            <LinkAnchor
                              inherit
                              underline="always"
                              to="/developer/requests/$requestId"
                              params={{ requestId: event.requestId }}
                            >
                              request {event.requestId}
                            </LinkAnchor>
                          ) : (
                            `request ${event.requestId}`
                          )}
                        </>
                      )}
                    </>
                  )}
                </Text>
                {event.facts.length > 0 && (
                  <Facts
                    facts={event.facts.map(
                      ([name, value]) =>
                        [
                          name,
                          name === 'Batch' && mayBatches ? (
                            <BatchLink key="batch" text={value} />
                          ) : (
                            readable(value)
                          ),
                        ] as const,
                    )}
                  />
                )}
                {event.text !== null && (
                  <Text size="sm" className={classes.note}>
                    {event.text}
                  </Text>
                )}
                {event.kind === 'money' && event.transactionId !== null && (
                  <Group gap="sm" mt={4} className={classes.noPrint}>
                    <Anchor
                      size="xs"
                      component="button"
                      type="button"
                      onClick={() => setShown(event)}
                    >
                      Request and response
                    </Anchor>
                    {mayDevelop && (
                      <LinkAnchor
                        size="xs"
                        to="/developer/why/$transactionId"
                        params={{ transactionId: event.transactionId }}
                      >
                        Explain this result
                      </LinkAnchor>
                    )}
                  </Group>
                )}
              </div>
            </li>
          )
        })}
      </ol>
      {events.length === 0 && (
        <Stack>
          <Text size="sm" c="dimmed">
            No events yet.
          </Text>
        </Stack>
      )}
      {shown?.transactionId !== null && shown !== null && (
        <ExchangeDialog
          orderId={order.id}
          transactionId={shown.transactionId}
          title={shown.title}
          onClose={() => setShown(null)}
        />
      )}
    </Panel>
  )
}

/** `505, open`: the batch leads to its page. */
function BatchLink({ text }: { readonly text: string }) {
  const [id = '', ...rest] = text.split(', ')
  return (
    <>
      <LinkAnchor inherit underline="always" to="/batches/$batchId" params={{ batchId: id }}>
        {id}
      </LinkAnchor>
      , {rest.join(', ')}
    </>
  )
}

/** Times come as ISO 8601, and are shown in words. */
function readable(value: string): string {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? timeText(value) : value
}
