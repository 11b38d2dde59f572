import { Table, Text } from '@mantine/core'
import type { OperatorFee, Statement } from '@tollgate/portal-contract/answers/payouts'
import { Amount } from '../parts/amount.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { FEE_NAMES, OPERATOR_FEES } from './payout-words.ts'
import classes from './payouts.module.css'

/** The operator's fees of a month, which are no part of the balance. */
export function OperatorFees({ statement }: { readonly statement: Statement }) {
  const { source } = statement
  return (
    <div>
      <Table aria-label="Operator's fees" verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Operator's fees</Table.Th>
            <Table.Th ta="right">{source.currency}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {FEE_NAMES.map((name) => (
            <FeeRow key={name} name={name} statement={statement} />
          ))}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed" mt={4}>
        The operator charges these fees apart. They are no part of the balance above.
      </Text>
    </div>
  )
}

interface FeeRowProps {
  readonly name: OperatorFee
  readonly statement: Statement
}

/** A sum with fees leads to them, by its name and by its amount. */
function FeeRow({ name, statement: { month, operatorFees, source } }: FeeRowProps) {
  const { minorOf, title } = OPERATOR_FEES[name]
  const minor = minorOf(operatorFees)
  const amount = <Amount bare minor={minor} currency={source.currency} />
  const link = { to: '/statements/fees', search: { source: source.id, month, fee: name } } as const
  return (
    <Table.Tr {...(name === 'all' ? { className: classes.sum } : {})}>
      <Table.Td>
        {minor === '0' ? (
          title
        ) : (
          <LinkAnchor {...link} inherit underline="always">
            {title}
          </LinkAnchor>
        )}
      </Table.Td>
      <Table.Td ta="right">
        {minor === '0' ? (
          amount
        ) : (
          <LinkAnchor {...link} inherit tabIndex={-1}>
            {amount}
          </LinkAnchor>
        )}
      </Table.Td>
    </Table.Tr>
  )
}
