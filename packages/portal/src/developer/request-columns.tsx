import { Text } from '@mantine/core'
import type { RequestRow } from '@tollgate/portal-contract/answers/developer'
import { Cut } from '../parts/cut.tsx'
import type { Column } from '../parts/data-table.tsx'
import { StatusBadge } from '../parts/status-badge.tsx'
import { When } from '../parts/when.tsx'
import classes from './developer.module.css'

/** The response in as few codes as identify it. */
export function codesText({
  apiCode,
  serviceCode,
  httpStatus,
  outcome,
}: Pick<RequestRow, 'apiCode' | 'serviceCode' | 'httpStatus' | 'outcome'>): string {
  const http = httpStatus === 200 ? '' : `HTTP ${httpStatus}, `
  if (outcome === 'approved') return `${http}${serviceCode}`
  return apiCode === '0' ? `${http}SERVICE ${serviceCode}` : `${http}API ${apiCode}`
}

export const REQUEST_COLUMNS: readonly Column<RequestRow>[] = [
  { key: 'id', title: 'Request', cell: ({ id }) => id },
  { key: 'at', title: 'Received', cell: ({ receivedAt }) => <When at={receivedAt} /> },
  {
    key: 'action',
    title: 'Action',
    cell: ({ action }) =>
      action || (
        <Text span inherit c="dimmed">
          none
        </Text>
      ),
  },
  { key: 'outcome', title: 'Outcome', cell: ({ outcome }) => <StatusBadge state={outcome} /> },
  {
    key: 'codes',
    title: 'Codes',
    cell: (row) => <span className={classes.plain}>{codesText(row)}</span>,
  },
  { key: 'field', title: 'Field', cell: ({ refField }) => <Cut text={refField} max={100} /> },
  { key: 'site', title: 'Site', cell: ({ siteId }) => siteId },
  { key: 'order', title: 'Order', cell: ({ orderId }) => orderId },
  { key: 'user', title: 'User', cell: ({ username }) => <Cut text={username} max={140} /> },
  {
    key: 'took',
    title: 'Took',
    align: 'right',
    cell: ({ tookMs }) => <span className={classes.plain}>{tookMs} ms</span>,
  },
]
