import { Button, Menu } from '@mantine/core'
import { IconChevronDown, IconCreditCardPay, IconRotate } from '@tabler/icons-react'
import type { OrderPage } from '@tollgate/portal-contract/answers/order'
import { useState } from 'react'
import { useMay } from '../session/session.ts'
import { AdjustDialog, type Adjustment } from './adjust-dialog.tsx'
import { ChargeDialog } from './charge-dialog.tsx'
import classes from './order.module.css'
import { VoidOrRefundDialog } from './void-or-refund-dialog.tsx'

/** The operations that the user can do with the order now. */
export function OrderActions({ order }: { readonly order: OrderPage }) {
  const [opened, setOpened] = useState<Adjustment | 'void_or_refund' | 'charge' | null>(null)
  const mayVoid = useMay('orders.void')
  const can = {
    capture: useMay('orders.capture') && order.money.leftToCaptureMinor !== '0',
    void: mayVoid && order.money.leftToCaptureMinor !== '0',
    refund: useMay('orders.refund') && order.money.leftToRefundMinor !== '0',
    voidOrRefund: mayVoid && order.voidOrRefund.kind === 'planned',
    charge: useMay('orders.charge') && order.kind === 'payment' && order.state === 'authorized',
  }
  const close = (): void => setOpened(null)
  const others = [
    can.void ? (['void', 'Void authorization'] as const) : null,
    can.refund ? (['refund', 'Refund'] as const) : null,
    can.charge ? (['charge', 'Charge card again'] as const) : null,
  ].filter((each) => each !== null)
  return (
    <>
      {can.capture && (
        <Button
          className={classes.noPrint}
          leftSection={<IconCreditCardPay size={16} />}
          onClick={() => setOpened('capture')}
        >
          Capture
        </Button>
      )}
      {can.voidOrRefund && (
        <Button
          className={classes.noPrint}
          variant="default"
          leftSection={<IconRotate size={16} />}
          onClick={() => setOpened('void_or_refund')}
        >
          Void or refund
        </Button>
      )}
      {others.length > 0 && (
        <Menu position="bottom-end">
          <Menu.Target>
            <Button
              className={classes.noPrint}
              variant="default"
              rightSection={<IconChevronDown size={16} />}
            >
              More
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {others.map(([what, label]) => (
              <Menu.Item key={what} onClick={() => setOpened(what)}>
                {label}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      {(opened === 'capture' || opened === 'void' || opened === 'refund') && (
        <AdjustDialog order={order} does={opened} onClose={close} />
      )}
      {opened === 'void_or_refund' && <VoidOrRefundDialog order={order} onClose={close} />}
      {opened === 'charge' && <ChargeDialog order={order} onClose={close} />}
    </>
  )
}
