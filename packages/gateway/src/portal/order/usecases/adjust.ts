import { findCurrency, type Currency } from '../../../domain/currency.ts'
import { formatMinor, parseAmount } from '../../../domain/money.ts'
import type { AdjustmentRefusal } from '../../../domain/payments/order.ts'
import type { RequestedOperation } from '../../../usecases/audit/requested-operation.ts'
import type { Site } from '../../../usecases/merchants/merchant-directory.ts'
import type {
  AdjustmentCommand,
  AdjustmentResult,
  AdjustOrder,
} from '../../../usecases/payments/adjustment-command.ts'
import type { LockedOrder } from '../../../usecases/payments/adjustment-store.ts'
import type { TransactionView } from '../../../usecases/payments/transaction-view.ts'
import type { PortalUser } from '../../shell/usecases/portal-user.ts'
import { amountText, refundAllowance } from '../domain/refund-allowance.ts'
import { refusal, type OperationAnswer, type OperationRefusal } from './operation-answer.ts'
import type { Operations, OperationStore } from './operations.ts'
import type { SeenSums } from './order-money.ts'

/** A capture, void or refund that a portal user has confirmed. */
export interface PortalAdjustment {
  readonly key: string
  readonly orderId: bigint
  readonly does: AdjustmentCommand['kind']
  /** Decimal text; null: all there is. */
  readonly amount: string | null
  readonly lineId: bigint | null
  /** The page's sums at the confirmation. */
  readonly seen: SeenSums
}

export interface OrderHead {
  readonly siteId: bigint
  readonly currency: string
}

/** The latest change of an order's sums, for a user who was too late. */
export interface LastChange {
  readonly did: string
  readonly amountMinor: bigint
  readonly by: string
  readonly at: Date
}

export interface AdjustDeps {
  readonly operations: Operations
  readonly store: Pick<OperationStore, 'isBegun'>
  readonly adjustOrder: AdjustOrder
  readonly readSite: (merchantId: bigint, siteId: bigint) => Promise<Site | null>
  readonly orders: {
    findHead(merchantId: bigint, orderId: bigint): Promise<OrderHead | null>
    readSums(orderId: bigint): Promise<SeenSums>
    lastChange(orderId: bigint): Promise<LastChange | null>
    /** The captured amount that a user has already returned, by refunds and by voids. */
    returnedBy(portalUserId: bigint, orderId: bigint): Promise<bigint>
  }
}

export type AdjustInPortal = (
  portalUser: PortalUser,
  address: string,
  requested: PortalAdjustment,
) => Promise<OperationAnswer>

/**
 * Captures, voids and refunds of portal users: under the sums that they saw, their refund limit,
 * and the rules of the order.
 */
export function createAdjustInPortal(deps: AdjustDeps): AdjustInPortal {
  return async (portalUser, address, requested) => {
    const head = await deps.orders.findHead(portalUser.merchantId, requested.orderId)
    if (head === null) return refusal('missing', 'not_found', 'This order does not exist.')
    const site = await deps.readSite(portalUser.merchantId, head.siteId)
    const currency = findCurrency(head.currency)
    if (site === null || currency === null)
      return refusal('missing', 'not_found', 'This order does not exist.')
    if (requested.amount !== null) {
      const fault = amountFault(requested.amount, currency)
      if (fault !== null) return fault
    }
    return deps.operations.once(
      {
        portalUser,
        address,
        siteId: site.id,
        key: requested.key,
        operation: requested.does,
        orderId: requested.orderId,
        sourceOrderId: null,
        transactionId: null,
        content: requested,
      },
      requestedOperation(requested, site.id, currency),
      async (operation) => perform(deps, portalUser, requested, site, currency, operation),
    )
  }
}

function requestedOperation(
  { does, orderId, lineId, amount }: PortalAdjustment,
  siteId: bigint,
  currency: Currency,
): RequestedOperation {
  return {
    kind: does,
    siteId,
    orderId,
    lineId,
    amounts: amount === null ? [] : [amount],
    currency: currency.code,
    reference: '',
    accountId: null,
    card: null,
  }
}

async function perform(
  deps: AdjustDeps,
  portalUser: PortalUser,
  requested: PortalAdjustment,
  site: Site,
  currency: Currency,
  operation: { readonly id: bigint; readonly requestId: bigint },
): Promise<TransactionView | OperationRefusal> {
  let forbidden: OperationRefusal | null = null
  const permit = async (order: LockedOrder, returnsMinor: bigint): Promise<boolean> => {
    forbidden = await findObstacle(deps, portalUser, requested, order, returnsMinor, operation.id)
    return forbidden === null
  }
  const result = await deps.adjustOrder({
    kind: requested.does,
    requestId: operation.requestId,
    origin: 'portal',
    site,
    orderId: requested.orderId,
    lineId: requested.lineId,
    amount: requested.amount,
    currencyCode: null,
    refundOnFail: false,
    permit,
  })
  if (result.kind === 'done') return result.transaction
  if (result.kind === 'not_permitted')
    return forbidden ?? refusal('conflict', 'changed', 'The order has changed.')
  const now = await deps.orders.readSums(requested.orderId)
  if (!sameSums(now, requested.seen)) return changed(deps, requested.orderId, currency)
  return result.kind === 'invalid' ? invalid(result) : byRule(result.refusal)
}

/** Obstacles beside the rules of the order; checked under the order's lock. */
async function findObstacle(
  deps: AdjustDeps,
  portalUser: PortalUser,
  requested: PortalAdjustment,
  { snapshot, currency }: LockedOrder,
  returnsMinor: bigint,
  operationId: bigint,
): Promise<OperationRefusal | null> {
  if (!(await deps.store.isBegun(operationId)))
    return refusal('conflict', 'interrupted', 'The operation timed out. No money moved.')
  if (!sameSums(snapshot.money, requested.seen)) return changed(deps, requested.orderId, currency)
  const { refundLimit } = portalUser
  if (returnsMinor === 0n || refundLimit === null) return null
  const before = await deps.orders.returnedBy(portalUser.id, requested.orderId)
  const { leftMinor, sentence, advice } = refundAllowance(refundLimit, currency, before)
  return returnsMinor <= leftMinor
    ? null
    : refusal('forbidden', 'refund_limit', `${sentence} ${advice}`)
}

function sameSums(left: SeenSums, right: SeenSums): boolean {
  return (
    left.authorizedMinor === right.authorizedMinor &&
    left.capturedMinor === right.capturedMinor &&
    left.voidedMinor === right.voidedMinor &&
    left.refundedMinor === right.refundedMinor
  )
}

async function changed(
  { orders }: AdjustDeps,
  orderId: bigint,
  currency: Currency,
): Promise<OperationRefusal> {
  const last = await orders.lastChange(orderId)
  const what =
    last === null
      ? ''
      : ` The latest change: ${last.did} of ${amountText(last.amountMinor, currency)} by ${last.by}, ${last.at.toISOString().slice(0, 19).replace('T', ' ')} UTC.`
  return refusal(
    'conflict',
    'changed',
    `The order changed after you opened it, so nothing was done.${what} Review the order and try again.`,
  )
}

/** Why a text is no amount of the currency; null for one that is. */
export function amountFault(text: string, currency: Currency): OperationRefusal | null {
  const reading = parseAmount(text, currency)
  if (reading.kind === 'amount') return null
  const example = formatMinor(123_400n, currency)
  const decimals =
    currency.digits === 0 ? `no decimals` : `at most ${currency.digits} decimals after a point`
  // Said again only where it can be no card number that got into the wrong field.
  const said = text.replace(/\D/g, '').length < 12 ? `“${text.slice(0, 40)}”` : 'This'
  const sentence =
    reading.reason === 'too_long'
      ? `${said} is too large.`
      : `${said} is not a valid amount in ${currency.code}. Enter digits with ${decimals}, such as ${example}.`
  return refusal('invalid', 'amount', sentence, 'amount')
}

const INVALID: Readonly<
  Record<Extract<AdjustmentResult, { kind: 'invalid' }>['reason'], OperationRefusal>
> = {
  line_mismatch: refusal('invalid', 'line', 'The line does not belong to this order.', 'lineId'),
  currency_mismatch: refusal(
    'invalid',
    'currency',
    "The currency differs from the order's currency.",
  ),
  amount_not_numeric: refusal(
    'invalid',
    'amount',
    'This amount is not valid in the currency.',
    'amount',
  ),
  amount_too_long: refusal('invalid', 'amount', 'This amount is too large.', 'amount'),
}

function invalid({ reason }: Extract<AdjustmentResult, { kind: 'invalid' }>): OperationRefusal {
  return INVALID[reason]
}

/** The rule of the order that stands against it, in words. */
export const RULES: Readonly<
  Record<AdjustmentRefusal, readonly [service: number, sentence: string]>
> = {
  order_not_found: [512, "This order does not belong to the site's current mode."],
  order_not_adjustable: [
    580,
    'The order was never authorized, or has nothing left to void or refund.',
  ],
  card_removed: [580, 'The card was deleted and its number erased, so it cannot be refunded.'],
  charged_back: [511, 'The payment was charged back.'],
  already_reversed: [510, 'The whole order is already voided.'],
  amount_not_positive: [565, 'The amount must be above zero.'],
  amount_invalid: [565, 'This is more than is left to return.'],
  capture_exceeds: [506, 'This is more than is left to capture.'],
  fully_captured: [507, 'The authorized amount is fully captured.'],
  adjusted_to_zero: [505, 'Nothing is left: the authorization is voided or has expired.'],
  batch_closed: [525, 'The batch is closed, so you can only refund this capture.'],
  not_captured: [
    536,
    'Nothing is captured, so there is nothing to refund. Void the authorization instead.',
  ],
  refund_exceeds: [516, 'This is more than is left to refund.'],
  fully_refunded: [515, 'The captured amount is fully refunded.'],
}

function byRule(name: AdjustmentRefusal): OperationRefusal {
  const [service, sentence] = RULES[name]
  return refusal('conflict', name, sentence, null, service)
}
