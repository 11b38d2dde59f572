import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { IconCheck, IconPrinter, IconX } from '@tabler/icons-react'
import type { OperationDone, TerminalSite } from '@tollgate/portal-contract/answers/order'
import { useEffect, useRef } from 'react'
import { amountText } from '../parts/amount.tsx'
import { Facts } from '../parts/facts.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Page } from '../parts/page.tsx'
import { timeText } from '../parts/when.tsx'
import { useSession } from '../session/session.ts'
import classes from './order.module.css'

export interface TerminalDone {
  readonly answer: OperationDone
  readonly card: string
  readonly site: TerminalSite
  readonly reference: string
  readonly at: string
}

/** The result of a payment, in words; it prints as a slip. */
export function TerminalResult({
  done,
  onNext,
}: {
  readonly done: TerminalDone
  readonly onNext: () => void
}) {
  const { answer, card, site, reference, at } = done
  const { merchant, portalUser } = useSession()
  const isApproved = answer.state === 'approved'
  const next = useRef<HTMLButtonElement>(null)
  useEffect(() => next.current?.focus(), [])
  return (
    <Page
      title={isApproved ? 'Approved' : answer.state === 'declined' ? 'Declined' : 'Failed'}
      text={merchant.name}
    >
      <Stack maw={640} gap="md">
        <Alert
          color={isApproved ? 'green' : 'red'}
          role="status"
          icon={isApproved ? <IconCheck size={18} /> : <IconX size={18} />}
          title={answer.sentence}
        >
          {answer.refusal === null
            ? site.mode === 'test'
              ? 'Test mode: no real money moves.'
              : 'Thank you.'
            : answer.refusal.advice}
        </Alert>
        <Facts
          facts={[
            [
              'Amount',
              answer.amountMinor === '0' ? null : amountText(answer.amountMinor, answer.currency),
            ],
            ['Card', card],
            [
              'Order',
              <LinkAnchor
                key="order"
                to="/orders/$orderId"
                params={{ orderId: answer.orderId }}
                size="sm"
              >
                {answer.orderId}
              </LinkAnchor>,
            ],
            ['Your order id', reference],
            ['Transaction', answer.transactionId],
            ['Site', site.name],
            ['Time', timeText(at)],
            ['Taken by', portalUser.name],
            ['Customer message', answer.refusal?.customerMessage ?? null],
          ]}
        />
        {answer.refusal?.retry === 'never' && (
          <Text size="sm" fw={600}>
            Do not charge this card again.
          </Text>
        )}
        <Group className={classes.noPrint}>
          <Button ref={next} onClick={onNext}>
            Next payment
          </Button>
          <Button
            variant="default"
            leftSection={<IconPrinter size={16} />}
            onClick={() => window.print()}
          >
            Print
          </Button>
        </Group>
      </Stack>
    </Page>
  )
}
