import { Table, Text } from '@mantine/core'
import type { Statement } from '@tollgate/portal-contract/answers/payouts'
import { Amount } from '../parts/amount.tsx'
import classes from './payouts.module.css'

/** The operator's fees of a month, which are no part of the balance. */
export function OperatorFees({ statement }: { readonly statement: Statement }) {
  const { operatorFees, source } = statement
  const { monthlyMinor, refundsMinor, salesMinor } = operatorFees
  const total = BigInt(monthlyMinor) + BigInt(refundsMinor) + BigInt(salesMinor)
  const rows = [
    ['Sales and captures', salesMinor],
    ['Refunds', refundsMinor],
    ['Monthly fee, for all accounts of the merchant', monthlyMinor],
  ] as const
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
          {rows.map(([title, minor]) => (
            <Table.Tr key={title}>
              <Table.Td>{title}</Table.Td>
              <Table.Td ta="right">
                <Amount bare minor={minor} currency={source.currency} />
              </Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr className={classes.sum}>
            <Table.Td>Charged</Table.Td>
            <Table.Td ta="right">
              <Amount bare minor={total} currency={source.currency} />
            </Table.Td>
          </Table.Tr>
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed" mt={4}>
        The operator charges these fees apart. They are no part of the balance above.
      </Text>
    </div>
  )
}
