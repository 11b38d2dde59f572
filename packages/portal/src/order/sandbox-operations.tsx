import { useQuery } from '@tanstack/react-query'
import type { Dispute } from '@tollgate/portal-contract/answers/disputes'
import type { OrderPage } from '@tollgate/portal-contract/answers/order'
import * as routes from '@tollgate/portal-contract/routes'
import { SandboxPanel, type OfferedOperation } from '../developer/sandbox-panel.tsx'
import { useMay } from '../session/session.ts'
import { call } from '../shell/api.ts'

const OPEN: readonly Dispute['state'][] = ['chargeback', 'pre_arbitration', 'arbitration']

/** The operations of the sandbox that fit an order and its disputes now. */
export function SandboxOperations({ order }: { readonly order: OrderPage }) {
  const maySee = useMay('disputes.see')
  const { data } = useQuery({
    queryKey: ['disputes', 'of order', order.id],
    queryFn: ({ signal }) => call(routes.disputes.list, { query: { order: order.id }, signal }),
    enabled: maySee && order.mode === 'test',
  })
  if (order.mode !== 'test') return null
  const operations = [...ofOrder(order), ...(data?.disputes ?? []).flatMap(ofDispute)]
  return <SandboxPanel siteId={order.site.id} operations={operations} />
}

function ofOrder({ id, money, timeline }: OrderPage): readonly OfferedOperation[] {
  const isCaptured = BigInt(money.capturedMinor) > 0n
  const moved = timeline.filter(
    ({ kind, state, title, transactionId }) =>
      kind === 'money' && state === 'approved' && transactionId !== null && MOVES.test(title),
  )
  const expires: readonly OfferedOperation[] =
    money.leftToCaptureMinor === '0'
      ? []
      : [['Expire authorization', { operation: 'expire-authorization', order: id }]]
  const disputes: readonly OfferedOperation[] = [
    ['Open chargeback', { operation: 'dispute', order: id }],
    ['Report fraud', { operation: 'report-fraud', order: id }],
  ]
  return [
    ...expires,
    ...(isCaptured ? disputes : []),
    ...moved.map(({ title, transactionId }): OfferedOperation => [
      `Reject in settlement: ${title.toLowerCase()} ${transactionId ?? ''}`,
      { operation: 'reject', transaction: transactionId ?? '' },
    ]),
  ]
}

/** Titles of transactions that a settlement file can have. */
const MOVES = /^(sale|capture|refund)/i

function answersTo(dispute: string): readonly OfferedOperation[] {
  return [
    [`Contest dispute ${dispute}`, { operation: 'answer-dispute', dispute, answer: 'contest' }],
    [`Accept dispute ${dispute}`, { operation: 'answer-dispute', dispute, answer: 'accept' }],
  ]
}

function ofDispute({ id, state }: Dispute): readonly OfferedOperation[] {
  const ends: readonly OfferedOperation[] = [
    [`Win dispute ${id}`, { operation: 'win-dispute', dispute: id }],
    [`Lose dispute ${id}`, { operation: 'lose-dispute', dispute: id }],
  ]
  if (OPEN.includes(state)) return [...ends, ...answersTo(id)]
  if (state !== 'represented') return []
  return [
    [
      `Issuer accepts answer ${id}`,
      { operation: 'decide-dispute', dispute: id, issuer: 'accepts' },
    ],
    [
      `Issuer rejects answer ${id}`,
      { operation: 'decide-dispute', dispute: id, issuer: 'rejects' },
    ],
  ]
}
