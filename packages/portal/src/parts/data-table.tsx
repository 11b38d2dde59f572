import { ScrollArea, Skeleton, Table, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import type { KeyboardEvent, ReactNode } from 'react'
import classes from './data-table.module.css'
import { useMoreBeside } from './use-more-beside.ts'

export interface Column<Row> {
  readonly key: string
  readonly title: string
  /** Amounts and counts are at the right. */
  readonly align?: 'left' | 'right'
  readonly cell: (row: Row) => ReactNode
  /** Takes the room that the others leave, in one line; what does not fit is cut off. */
  readonly fills?: boolean
  readonly sortable?: boolean
  /** Its title may take two lines, where the content is narrower. */
  readonly wraps?: boolean
}

interface DataTableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  /** Undefined while they are loaded. */
  readonly rows: readonly Row[] | undefined
  readonly keyOf: (row: Row) => string
  /** Opens a row: by click, or by Enter on it. Arrow keys go from row to row. */
  readonly onOpen?: (row: Row) => void
  readonly sort?: { readonly key: string; readonly descending: boolean }
  readonly onSort?: (key: string) => void
  /** In the place of rows when there are none. */
  readonly empty: ReactNode
}

/** A list to work in: dense, its head always in sight, to be walked through by keyboard. */
export function DataTable<Row>({
  label,
  columns,
  rows,
  keyOf,
  onOpen,
  sort,
  onSort,
  empty,
}: DataTableProps<Row>) {
  const { viewport, hasMore, measure } = useMoreBeside()
  if (rows?.length === 0) return empty
  return (
    // The arrow keys reach columns beyond the edge, where no row can have the focus.
    <ScrollArea
      type="auto"
      // The scroll bar has room of its own below the last row.
      offsetScrollbars="present"
      className={classes.frame}
      data-more={hasMore || undefined}
      viewportRef={viewport}
      onScrollPositionChange={measure}
      viewportProps={onOpen === undefined ? { tabIndex: 0 } : {}}
    >
      <Table aria-label={label} stickyHeader highlightOnHover={onOpen !== undefined}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ key, title, align = 'left', sortable, fills, wraps }) => (
              <Table.Th
                key={key}
                ta={align}
                aria-sort={
                  sort?.key === key ? (sort.descending ? 'descending' : 'ascending') : undefined
                }
                className={headOf(fills, wraps)}
              >
                {sortable === true && onSort !== undefined ? (
                  <UnstyledButton fz="sm" fw={600} onClick={() => onSort(key)}>
                    {title}{' '}
                    {sort?.key === key &&
                      (sort.descending ? <IconArrowDown size={13} /> : <IconArrowUp size={13} />)}
                  </UnstyledButton>
                ) : (
                  title
                )}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows === undefined
            ? Array.from({ length: 8 }, (_, at) => (
                <Table.Tr key={at}>
                  {columns.map(({ key }) => (
                    <Table.Td key={key}>
                      <Skeleton height={14} my={3} />
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))
            : rows.map((row) => (
                <Table.Tr
                  key={keyOf(row)}
                  {...(onOpen === undefined
                    ? {}
                    : {
                        tabIndex: 0,
                        className: classes.open,
                        onClick: () => onOpen(row),
                        onKeyDown: (event: KeyboardEvent<HTMLTableRowElement>) =>
                          onRowKey(event, () => onOpen(row)),
                      })}
                >
                  {columns.map(({ key, align = 'left', fills, cell }) => (
                    <Table.Td key={key} ta={align}>
                      {fills === true ? (
                        <div className={classes.filled}>{cell(row)}</div>
                      ) : (
                        cell(row)
                      )}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  )
}

function headOf(fills = false, wraps = false): string {
  const head = (wraps ? classes.wraps : classes.head) ?? ''
  return fills ? `${head} ${classes.fills}` : head
}

function onRowKey(event: KeyboardEvent<HTMLTableRowElement>, open: () => void): void {
  if (event.target !== event.currentTarget) return
  const { nextElementSibling, previousElementSibling } = event.currentTarget
  if (event.key === 'Enter') open()
  else if (event.key === 'ArrowDown' && nextElementSibling instanceof HTMLElement)
    nextElementSibling.focus()
  else if (event.key === 'ArrowUp' && previousElementSibling instanceof HTMLElement)
    previousElementSibling.focus()
  else return
  event.preventDefault()
}
