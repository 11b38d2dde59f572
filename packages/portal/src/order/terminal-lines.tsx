import { ActionIcon, Button, Group, Stack, TextInput } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { AmountField } from './amount-field.tsx'
import { readAmount } from './read-amount.ts'

export interface TerminalLine {
  readonly product: string
  readonly amount: string
}

interface TerminalLinesProps {
  readonly lines: readonly TerminalLine[]
  readonly currency: string
  readonly showFaults: boolean
  readonly onChange: (lines: readonly TerminalLine[]) => void
}

/** One amount, or several with what each is for. */
export function TerminalLines({ lines, currency, showFaults, onChange }: TerminalLinesProps) {
  const change = (at: number, part: Partial<TerminalLine>): void =>
    onChange(lines.map((line, index) => (index === at ? { ...line, ...part } : line)))
  const many = lines.length > 1
  return (
    <Stack gap="xs">
      {lines.map((line, at) => (
        // oxlint-disable-next-line no-array-index-key -- lines have no other identity
        <Group key={at} align="flex-start" gap="xs">
          <div style={{ flex: '1 1 180px' }}>
            <AmountField
              label={many ? `Amount of line ${at + 1}` : 'Amount'}
              value={line.amount}
              currency={currency}
              fault={showFaults ? readAmount(line.amount, currency, null).fault : null}
              onChange={(amount) => change(at, { amount })}
            />
          </div>
          <TextInput
            style={{ flex: '3 1 180px' }}
            label={many ? `Product of line ${at + 1}` : 'Product'}
            placeholder="Default product"
            maxLength={64}
            value={line.product}
            onChange={(event) => change(at, { product: event.currentTarget.value })}
          />
          {many && (
            <ActionIcon
              mt={27}
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`Remove line ${at + 1}`}
              onClick={() => onChange(lines.filter((_, index) => index !== at))}
            >
              <IconTrash size={16} />
            </ActionIcon>
          )}
        </Group>
      ))}
      <Button
        variant="subtle"
        size="compact-sm"
        style={{ alignSelf: 'flex-start' }}
        leftSection={<IconPlus size={14} />}
        onClick={() => onChange([...lines, { product: '', amount: '' }])}
      >
        Add a line
      </Button>
    </Stack>
  )
}
