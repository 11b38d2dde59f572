import { Table, Text } from '@mantine/core'
import { Amount } from '../parts/amount.tsx'

interface Figures {
  readonly approvedMinor: string
  readonly capturedMinor: string
  readonly refundedMinor: string
}

interface FiguresTableProps {
  readonly label: string
  readonly currency: string
  /** Null where the books know nothing of it. */
  readonly books: readonly (readonly [name: string, figures: Figures | null, currency?: string])[]
}

const KINDS = ['approvedMinor', 'capturedMinor', 'refundedMinor'] as const

/** The three books beside each other; what is not the same in all of them stands out. */
export function FiguresTable({ label, currency, books }: FiguresTableProps) {
  const differs = (kind: (typeof KINDS)[number]): boolean =>
    new Set(
      books.map(
        ([, figures, itsCurrency]) => `${figures?.[kind] ?? '0'} ${itsCurrency ?? currency}`,
      ),
    ).size > 1
  return (
    <Table.ScrollContainer
      minWidth={420}
      type="native"
      tabIndex={0}
      role="group"
      aria-label={label}
    >
      <Table aria-label={label} verticalSpacing={3} horizontalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Books</Table.Th>
            <Table.Th ta="right">Approved</Table.Th>
            <Table.Th ta="right">Captured</Table.Th>
            <Table.Th ta="right">Refunded</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {books.map(([name, figures, itsCurrency]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row" fw={400}>
                {name}
              </Table.Th>
              {figures === null ? (
                <Table.Td colSpan={3} ta="right">
                  <Text span inherit c="dimmed">
                    not found
                  </Text>
                </Table.Td>
              ) : (
                KINDS.map((kind) => (
                  <Table.Td key={kind} ta="right" fw={differs(kind) ? 700 : undefined}>
                    <Amount minor={figures[kind]} currency={itsCurrency ?? currency} />
                  </Table.Td>
                ))
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
