import type { VoidOrRefundResult } from '@tollgate/portal-contract/answers/order'
import { order } from '@tollgate/portal-contract/routes/order'
import { z } from 'zod'
import { findCurrency } from '../../../domain/currency.ts'
import { parseAmount } from '../../../domain/money.ts'
import { idOf, KEY } from '../../shell/ids.ts'
import {
  implement,
  notFound,
  orFault,
  PortalFault,
  type PortalRoute,
  type Sendable,
} from '../../shell/portal-route.ts'
import type { PortalUser } from '../../shell/usecases/portal-user.ts'
import { allowedOf, refundAllowance, type OrderAllowance } from '../domain/refund-allowance.ts'
import { planVoidOrRefund } from '../domain/void-or-refund.ts'
import type { AdjustInPortal, PortalAdjustment } from '../usecases/adjust.ts'
import { buildOrderPage, snapshotOf } from '../usecases/build-order-page.ts'
import { writeNote, type NoteStore } from '../usecases/notes.ts'
import type { OperationAnswer, OperationDone, PaymentDone } from '../usecases/operation-answer.ts'
import type { OrderPage, OrderRows } from '../usecases/order-page.ts'
import type { PayInPortal } from '../usecases/pay.ts'
import { voidOrRefundInPortal } from '../usecases/void-or-refund.ts'
import { answerAgain, type ExchangeDeps } from './exchange.ts'

export interface OrderRoutesDeps extends ExchangeDeps {
  readonly readOrder: (merchantId: bigint, orderId: bigint) => Promise<OrderRows | null>
  readonly adjust: AdjustInPortal
  /** The captured amount of an order that a user has returned so far. */
  readonly returnedBy: (portalUserId: bigint, orderId: bigint) => Promise<bigint>
  readonly pay: PayInPortal
  readonly notes: NoteStore
  readonly findSource: (
    merchantId: bigint,
    orderId: bigint,
  ) => Promise<{
    readonly siteId: bigint
    readonly accountId: bigint
    readonly currency: string
    readonly customerId: bigint
    readonly paymentMethodId: bigint
    readonly networkTransactionId: string
  } | null>
}

export const BIG = z
  .string()
  .regex(/^-?[0-9]{1,18}$/, 'expected a whole number')
  .transform(BigInt)
const SEEN = z.strictObject({
  authorizedMinor: BIG,
  capturedMinor: BIG,
  voidedMinor: BIG,
  refundedMinor: BIG,
})
const ADJUSTMENT = z.strictObject({
  key: KEY,
  /** Null: all there is. */
  amount: z.string().max(40).nullable(),
  lineId: BIG.nullable().default(null),
  seen: SEEN,
})
const VOID_OR_REFUND = z.strictObject({
  key: KEY,
  currency: z.string().length(3),
  steps: z
    .array(
      z.strictObject({
        does: z.enum(['void', 'capture_void', 'refund']),
        minor: BIG,
        whole: z.boolean(),
      }),
    )
    .min(1)
    .max(3),
  seen: SEEN,
})
const CHARGE = z.strictObject({
  key: KEY,
  amount: z.string().max(40),
  reference: z.string().trim().max(64).default(''),
  duplicateOk: z.boolean().default(false),
})

type AdjustmentRoute =
  | typeof order.capture
  | typeof order.void
  | typeof order.captureVoid
  | typeof order.refund

/** The order page and what can be done on it. */
export function orderRoutes(deps: OrderRoutesDeps): readonly PortalRoute[] {
  const find = async (portalUser: PortalUser, text: string | undefined): Promise<OrderRows> => {
    const rows = await deps.readOrder(portalUser.merchantId, idOf(text, 'order'))
    if (rows === null) throw notFound('order')
    return rows
  }
  const adjustment = (entry: AdjustmentRoute, does: PortalAdjustment['does']): PortalRoute =>
    implement(entry, {
      body: ADJUSTMENT,
      handle: async ({ portalUser, address, params, body }) =>
        orFault<OperationDone>(
          await deps.adjust(portalUser, address, {
            ...body,
            orderId: idOf(params.id, 'order'),
            does,
          }),
        ).outcome,
    })
  return [
    implement(order.page, {
      handle: async ({ portalUser, params }) => {
        const rows = await find(portalUser, params.id)
        const page = buildOrderPage(rows)
        return { ...page, allowance: await allowanceOf(deps, portalUser, page) }
      },
    }),
    implement(order.exchange, {
      handle: async ({ portalUser, params }) => {
        const rows = await find(portalUser, params.id)
        const transaction = rows.transactions.find(({ id }) => id.toString() === params.transaction)
        if (transaction === undefined) throw notFound('transaction')
        return answerAgain(deps, portalUser.merchantId, transaction.id, transaction.requestId)
      },
    }),
    implement(order.planVoidOrRefund, {
      query: z.object({ amount: z.string().max(40) }),
      handle: async ({ portalUser, params, query }) => {
        const rows = await find(portalUser, params.id)
        const currency = findCurrency(rows.order.currency)
        const reading = currency === null ? null : parseAmount(query.amount, currency)
        if (reading === null || reading.kind === 'refused')
          throw new PortalFault(
            400,
            'amount',
            `This is not a valid amount in ${rows.order.currency}.`,
            'amount',
          )
        return planVoidOrRefund(snapshotOf(rows), reading.minor)
      },
    }),
    adjustment(order.capture, 'capture'),
    adjustment(order.void, 'void'),
    adjustment(order.captureVoid, 'capture_void'),
    adjustment(order.refund, 'refund'),
    implement(order.voidOrRefund, {
      body: VOID_OR_REFUND,
      handle: async ({ portalUser, address, params, body }) => {
        const answers = await voidOrRefundInPortal(deps.adjust, portalUser, address, {
          ...body,
          orderId: idOf(params.id, 'order'),
        })
        const [first] = answers
        // Once a step was done, every step is reported, and a refused one is not a fault.
        if (answers.length === 1 && first !== undefined) orFault<OperationDone>(first)
        return { steps: answers.map(stepOf) }
      },
    }),
    implement(order.charge, {
      body: CHARGE,
      handle: async ({ portalUser, address, params, body }) => {
        const orderId = idOf(params.id, 'order')
        const source = await deps.findSource(portalUser.merchantId, orderId)
        if (source === null) throw notFound('order')
        const { key, amount, reference, duplicateOk } = body
        const answer = await deps.pay(portalUser, address, {
          key,
          operation: 'charge',
          siteId: source.siteId,
          accountId: source.accountId,
          currency: source.currency,
          lines: [{ product: '', count: 1, amount }],
          card: {
            kind: 'saved',
            customerId: source.customerId,
            paymentMethodId: source.paymentMethodId,
          },
          customer: { firstName: '', lastName: '', email: '', phone: '' },
          billing: { street: '', street2: '', city: '', state: '', postalCode: '', country: '' },
          reference,
          source: { orderId, networkTransactionId: source.networkTransactionId },
          duplicateOk,
        })
        return orFault<PaymentDone>(answer).outcome
      },
    }),
    implement(order.writeNote, {
      body: z.strictObject({ key: KEY, text: z.string().max(4000) }),
      handle: async ({ portalUser, address, params, body }) => {
        const orderId = idOf(params.id, 'order')
        orFault(await writeNote(deps.notes, portalUser, address, { ...body, orderId }))
        return { done: true }
      },
    }),
  ]
}

/** The amounts that the refund limit of a user leaves; null without a limit. */
async function allowanceOf(
  { returnedBy }: Pick<OrderRoutesDeps, 'returnedBy'>,
  { id, refundLimit }: PortalUser,
  { id: orderId, currency: code, money, voidOrRefund }: OrderPage,
): Promise<OrderAllowance | null> {
  const currency = findCurrency(code)
  if (refundLimit === null || currency === null) return null
  const allowance = refundAllowance(refundLimit, currency, await returnedBy(id, orderId))
  return allowedOf(allowance, money.leftToRefundMinor, voidOrRefund)
}

/** The result of one step of a void or refund, as the portal's API sends it. */
function stepOf(answer: OperationAnswer): Sendable<VoidOrRefundResult> {
  if (answer.ok) return answer.outcome
  const { kind, code, faults, field = null, service } = answer
  return { kind: 'refused', cause: kind, code, sentence: faults.join(' '), field, service }
}
