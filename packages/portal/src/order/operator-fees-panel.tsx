import { List } from '@mantine/core'
import type { OrderPage } from '@tollgate/portal-contract/answers/order'
import type { OrderFee } from '@tollgate/portal-contract/answers/order-money'
import { amountText } from '../parts/amount.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { Panel } from '../parts/panel.tsx'
import { useMay } from '../session/session.ts'

/** The operator's fees for the transactions of an order, each with the statement that has it. */
export function OperatorFeesPanel({ operatorFees }: Pick<OrderPage, 'operatorFees'>) {
  if (operatorFees.length === 0) return null
  return (
    <Panel title="Operator's fees">
      <List size="sm" listStyleType="none" spacing={4}>
        {operatorFees.map((each) => (
          <List.Item key={each.transactionId}>
            {each.kind} {each.transactionId}: {amountText(each.feeMinor, each.currency)},{' '}
            <InStatement of={each} />
          </List.Item>
        ))}
      </List>
    </Panel>
  )
}

function InStatement({ of: { fee, month, sourceId } }: { readonly of: OrderFee }) {
  const maySee = useMay('batches.see')
  if (sourceId === null || !maySee) return <>in {month}</>
  const search = { source: sourceId, month, fee }
  return (
    <LinkAnchor to="/statements/fees" search={search} inherit>
      in the statement of {month}
    </LinkAnchor>
  )
}
