import { Alert, Button, Group, List, Progress, Stack, Text } from '@mantine/core'
import type { OpenAuthorization } from '@tollgate/portal-contract/answers/home'
import * as routes from '@tollgate/portal-contract/routes'
import { useState } from 'react'
import { amountText } from '../parts/amount.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { showDone } from '../parts/done.ts'
import { newKey } from '../parts/operation-key.ts'
import { call } from '../shell/api.ts'
import { everythingChanged } from '../shell/query-client.ts'

const WORDS = {
  capture: {
    verb: 'Capture',
    route: routes.order.capture,
    done: 'captured',
    text: 'The full remaining amount of each authorization is captured and added to the open batch.',
  },
  void: {
    verb: 'Void',
    route: routes.order.void,
    done: 'voided',
    text: 'The full remaining amount of each authorization is voided. It can no longer be captured.',
  },
} as const

interface ManyDialogProps {
  readonly does: keyof typeof WORDS
  readonly chosen: readonly OpenAuthorization[]
  readonly onClose: () => void
}

/**
 * Captures or voids the rest of each chosen authorization, one after the other, each under a key of
 * its own. A refused one, or one that another user changed meanwhile, does not stop the others. A
 * repeated send does nothing twice, since each keeps its key. Mounted again for each opening.
 */
export function ManyDialog({ does, chosen, onClose }: ManyDialogProps) {
  const { verb, route, done: doneText, text } = WORDS[does]
  const [keys] = useState(() => new Map(chosen.map(({ orderId }) => [orderId, newKey()])))
  const [results, setResults] = useState<ReadonlyMap<string, string | null>>(new Map())
  const [isRunning, setRunning] = useState(false)
  const refused = chosen.filter(({ orderId }) => typeof results.get(orderId) === 'string')

  const run = async (): Promise<void> => {
    if (isRunning) return
    setRunning(true)
    const next = new Map([...results].filter(([, fault]) => fault === null))
    for (const order of chosen) {
      if (next.get(order.orderId) === null) continue
      const { orderId, authorizedMinor, capturedMinor, voidedMinor, refundedMinor } = order
      try {
        await call(route, {
          path: { id: orderId },
          body: {
            key: keys.get(orderId) ?? '',
            amount: null,
            lineId: null,
            seen: { authorizedMinor, capturedMinor, voidedMinor, refundedMinor },
          },
        })
        next.set(orderId, null)
      } catch (error) {
        next.set(orderId, error instanceof Error ? error.message : String(error))
      }
      setResults(new Map(next))
    }
    setRunning(false)
    await everythingChanged()
    if ([...next.values()].every((fault) => fault === null)) {
      showDone(
        `${next.size} ${next.size === 1 ? 'authorization was' : 'authorizations were'} ${doneText}.`,
      )
      onClose()
    }
  }

  const amounts = new Map<string, bigint>()
  for (const { currency, leftMinor } of chosen)
    amounts.set(currency, (amounts.get(currency) ?? 0n) + BigInt(leftMinor))
  const sums = [...amounts].map(([currency, minor]) => amountText(minor, currency)).join(', ')
  const count = `${chosen.length} ${chosen.length === 1 ? 'authorization' : 'authorizations'}`
  return (
    <Dialog opened onClose={() => isRunning || onClose()} title={`${verb} ${count}?`}>
      <Stack>
        <Text size="sm">
          Total: {sums}. {text}
        </Text>
        {(isRunning || results.size > 0) && (
          <Progress
            value={(results.size / chosen.length) * 100}
            aria-label={`${results.size} of ${chosen.length} done`}
          />
        )}
        {refused.length > 0 && !isRunning && (
          <Alert
            color="red"
            role="alert"
            title={`${refused.length} of ${chosen.length} were not ${doneText}`}
          >
            <List size="sm">
              {refused.map(({ orderId }) => (
                <List.Item key={orderId}>
                  Order {orderId}: {results.get(orderId)}
                </List.Item>
              ))}
            </List>
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={isRunning}>
            {results.size > 0 ? 'Close' : 'Cancel'}
          </Button>
          <Button
            color={does === 'void' ? 'red' : undefined}
            loading={isRunning}
            onClick={() => void run()}
            data-autofocus
          >
            {refused.length > 0 ? 'Retry failed' : `${verb} ${sums}`}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
