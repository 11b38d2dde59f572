import { Text } from '@mantine/core'
import type { ListRow } from '@tollgate/portal-contract/answers/orders'
import {
  columnDefinition,
  columnTitle,
  STATUS_TEXTS,
  type ColumnKey,
  type ListName,
} from '@tollgate/portal-contract/order-columns'
import { Amount } from '../parts/amount.tsx'
import { Cut } from '../parts/cut.tsx'
import type { Column } from '../parts/data-table.tsx'
import { LinkAnchor } from '../parts/links.tsx'
import { shownZone } from '../parts/shown-zone.ts'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import classes from './list.module.css'

/** Columns of the table: the texts are those of files, shown in a way that is quick to read. */
export function listColumns(
  list: ListName,
  keys: readonly ColumnKey[],
): readonly Column<ListRow>[] {
  return keys.map((key) => ({
    key,
    title: columnTitle(key, list),
    align: columnDefinition(key).align ?? 'left',
    sortable: key === 'at',
    fills: key === 'reason',
    wraps: columnDefinition(key).amount === true,
    cell: (row) => cellOf(key, row),
  }))
}

function cellOf(key: ColumnKey, row: ListRow) {
  const text = columnDefinition(key).text(row, shownZone())
  switch (key) {
    case 'at':
      return <When at={row.at} />
    case 'order':
      return (
        <LinkAnchor
          to="/orders/$orderId"
          params={{ orderId: row.orderId }}
          inherit
          className={classes.plain}
          tabIndex={-1}
          onClick={(event) => event.stopPropagation()}
        >
          {text}
        </LinkAnchor>
      )
    case 'status':
      return (
        <StatusBadge
          state={BADGES[row.status] ?? row.status}
          label={STATUS_TEXTS[row.status as keyof typeof STATUS_TEXTS] ?? row.status}
        />
      )
    case 'amount':
    case 'authorized':
    case 'voided':
    case 'captured':
    case 'refunded':
      return <Amount minor={row[key]} currency={row.currency} />
    case 'card':
      return text === '' ? null : (
        <span className={classes.plain}>
          {row.brand}{' '}
          <Text span inherit c="dimmed" aria-hidden>
            ••••
          </Text>{' '}
          {row.last4}
        </span>
      )
    case 'avs':
    case 'cvv':
    case 'threeDs':
    case 'email':
    case 'customer':
    case 'reference':
      return <Cut text={text} max={key === 'reference' ? 150 : 220} />
    case 'reason':
      return <span title={text}>{text}</span>
    default:
      return <span className={classes.plain}>{text}</span>
  }
}

/** Statuses of ours under the states whose colour they have. */
const BADGES: Readonly<Record<string, string>> = {
  checked: 'approved',
  part_captured: 'captured',
  part_refunded: 'pending',
  refunded: 'voided',
}
