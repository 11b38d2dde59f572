import { ActionIcon, Button, Checkbox, Group, Popover, ScrollArea, Stack } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconColumns } from '@tabler/icons-react'
import {
  columnsOf,
  columnTitle,
  DEFAULT_COLUMNS,
  type ColumnKey,
  type ListName,
} from '@tollgate/portal-contract/order-columns'

interface ColumnsMenuProps {
  readonly list: ListName
  readonly columns: readonly ColumnKey[]
  readonly onChoose: (columns: readonly ColumnKey[]) => void
}

/** Which columns a list has, and in what sequence. */
export function ColumnsMenu({ list, columns, onChoose }: ColumnsMenuProps) {
  const others = columnsOf(list).filter((key) => !columns.includes(key))
  const move = (key: ColumnKey, by: number): void => {
    const at = columns.indexOf(key)
    const next = columns.filter((other) => other !== key)
    onChoose([...next.slice(0, at + by), key, ...next.slice(at + by)])
  }
  return (
    <Popover position="bottom-end" withArrow trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<IconColumns size={16} aria-hidden />}>
          Columns
        </Button>
      </Popover.Target>
      <Popover.Dropdown p="xs">
        <ScrollArea.Autosize mah={420} type="auto">
          <Stack gap={4} pr="sm">
            {columns.map((key, at) => (
              <Group key={key} justify="space-between" wrap="nowrap" gap="lg">
                <Checkbox
                  size="xs"
                  label={columnTitle(key, list)}
                  checked
                  disabled={columns.length === 1}
                  onChange={() => onChoose(columns.filter((other) => other !== key))}
                />
                <Group gap={2} wrap="nowrap">
                  <ActionIcon
                    size="sm"
                    variant="subtle"
                    color="gray"
                    disabled={at === 0}
                    aria-label={`Move ${columnTitle(key, list)} forward`}
                    onClick={() => move(key, -1)}
                  >
                    <IconArrowUp size={14} />
                  </ActionIcon>
                  <ActionIcon
                    size="sm"
                    variant="subtle"
                    color="gray"
                    disabled={at === columns.length - 1}
                    aria-label={`Move ${columnTitle(key, list)} back`}
                    onClick={() => move(key, 1)}
                  >
                    <IconArrowDown size={14} />
                  </ActionIcon>
                </Group>
              </Group>
            ))}
            {others.map((key) => (
              <Checkbox
                key={key}
                size="xs"
                label={columnTitle(key, list)}
                checked={false}
                onChange={() => onChoose([...columns, key])}
              />
            ))}
          </Stack>
        </ScrollArea.Autosize>
        <Button
          variant="subtle"
          size="compact-sm"
          mt="xs"
          onClick={() => onChoose(DEFAULT_COLUMNS[list])}
        >
          Default columns
        </Button>
      </Popover.Dropdown>
    </Popover>
  )
}
