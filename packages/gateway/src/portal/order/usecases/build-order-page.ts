import type { CardProduct } from '../../../domain/payments/card-product.ts'
import { leftToRefund } from '../../../domain/payments/line-shares.ts'
import type { OrderSnapshot } from '../../../domain/payments/order-snapshot.ts'
import { serviceAdvice } from '../../../domain/payments/service-codes.ts'
import { AVS_CODES, CVV_CODES } from '../../../domain/payments/verification.ts'
import type { TransStatus } from '../../../domain/three-ds/trans-status.ts'
import { explainRefusal } from '../../words/decline-reasons.ts'
import { ECI_WORDS, TRANS_STATUS_WORDS } from '../../words/three-ds-words.ts'
import { planVoidOrRefund } from '../domain/void-or-refund.ts'
import { bankCode } from './bank-code.ts'
import type { OrderMoney } from './order-money.ts'
import type {
  CodeInWords,
  OrderPage,
  OrderRefusal,
  OrderRows,
  OrderStatus,
  TransactionRow,
} from './order-page.ts'
import { timelineOf } from './timeline.ts'

/** The page of an order, built from its stored rows. */
export function buildOrderPage(rows: OrderRows): OrderPage {
  const { order } = rows
  const { sums, customer, card } = order
  const first = rows.transactions.find(isFirst)
  const snapshot = snapshotOf(rows)
  const isPayment = order.kind === 'payment'
  const isHeld = order.state === 'authorized' && isPayment && !snapshot.expired
  const open = isPayment ? sums.authorizedMinor - sums.capturedMinor - sums.voidedMinor : 0n
  const leftToCapture = isHeld && order.releasedAt === null ? open : 0n
  const refundable = isPayment ? leftToRefund(snapshot, snapshot.lines) : 0n
  return {
    id: order.id,
    site: order.site,
    mode: order.mode,
    account: order.account,
    currency: order.currency,
    kind: order.kind,
    state: order.state,
    status: statusOf(rows, leftToCapture),
    reference: order.reference,
    membershipReference: order.membershipReference,
    receipt: order.receipt,
    createdAt: order.createdAt,
    expiresAt: leftToCapture > 0n ? order.expiresAt : null,
    money: {
      requestedMinor: order.requestedMinor,
      authorizedMinor: sums.authorizedMinor,
      capturedMinor: sums.capturedMinor,
      leftToCaptureMinor: leftToCapture,
      voidedMinor: sums.voidedMinor,
      refundedMinor: sums.refundedMinor,
      leftToRefundMinor: refundable,
      inFlightMinor:
        order.state === 'running' || order.state === 'pending' ? order.requestedMinor : 0n,
    },
    seen: sums,
    customer: {
      id: customer.id,
      reference: customer.reference,
      name: `${customer.firstName} ${customer.lastName}`.trim(),
      email: customer.email,
      phone: customer.phone,
      billing: addressLines(customer.billing),
      shipping: addressLines(customer.shipping),
    },
    card: {
      id: card.id,
      brand: card.brand,
      bin: card.bin,
      last4: card.last4,
      expiry: expiryText(card),
      detail: first === undefined ? '' : cardDetail(first.cardProduct),
    },
    authorization: {
      code: order.authCode,
      retrievalReference: order.retrievalReference,
      networkTransactionId: order.networkTransactionId,
    },
    checks: checksOf(rows, first),
    refusal: first === undefined ? null : refusalOf(first, card.brand),
    lines: rows.lines.map((line) => ({
      ...line,
      leftToCaptureMinor:
        leftToCapture === 0n ? 0n : line.amountMinor - line.capturedMinor - line.voidedMinor,
      leftToRefundMinor: leftToRefund(snapshot, [line]),
    })),
    timeline: timelineOf(rows),
    ...moneyOf(rows),
    voidOrRefund: planVoidOrRefund(snapshot, null),
  }
}

function expiryText({ expiryMonth: month, expiryYear: year }: OrderRows['order']['card']): string {
  return month === null || year === null ? '' : `${String(month).padStart(2, '0')}/${year}`
}

/** The order as the deciders see it. */
export function snapshotOf({ order, lines, transactions }: OrderRows): OrderSnapshot {
  const captures = transactions
    .filter(({ kind, state }) => (kind === 'sale' || kind === 'capture') && state === 'approved')
    .map((row) => ({
      transactionId: row.id,
      amountMinor: row.valueMinor,
      voidedMinor: row.voidedMinor,
      batchClosed: row.batchClosed,
      rejected: row.rejected,
      lineId: row.lineId,
    }))
  return {
    state: order.state,
    expired: order.expired,
    money: {
      ...order.sums,
      closedBatchCapturedMinor: captures
        .filter(({ batchClosed }) => batchClosed)
        .reduce((sum, { amountMinor, voidedMinor }) => sum + amountMinor - voidedMinor, 0n),
    },
    lines,
    captures,
    reversedWhole: order.reversedWhole,
    disputedMinor: order.disputedMinor,
  }
}

function isFirst({ kind }: TransactionRow): boolean {
  return kind === 'authorization' || kind === 'sale' || kind === 'refund'
}

const OPEN_STATES: Readonly<Record<'running' | 'pending' | 'declined' | 'failed', OrderStatus>> = {
  running: { word: 'running', sentence: 'The bank has not answered yet.' },
  pending: {
    word: 'pending',
    sentence: 'The cardholder is confirming the payment with the issuer (3-D Secure).',
  },
  declined: { word: 'declined', sentence: 'The payment was declined. No money moves.' },
  failed: {
    word: 'failed',
    sentence:
      "The bank's decision is unknown, so the payment failed. Any hold on the card is reversed.",
  },
}

function statusOf({ order }: OrderRows, leftToCapture: bigint): OrderStatus {
  if (order.state !== 'authorized') return OPEN_STATES[order.state]
  const { authorizedMinor, capturedMinor, voidedMinor, refundedMinor } = order.sums
  if (order.kind === 'unreferenced_credit')
    return {
      word: 'refunded',
      sentence: 'Unreferenced credit: money was sent to the card without an earlier order.',
    }
  if (authorizedMinor === 0n)
    return {
      word: 'verified',
      sentence: 'The card was checked with a zero amount. Nothing is held.',
    }
  if (order.reversedWhole)
    return { word: 'voided', sentence: 'Voided. The customer is not charged.' }
  if (refundedMinor > 0n) {
    return refundedMinor === capturedMinor
      ? { word: 'refunded', sentence: 'The captured amount is fully refunded.' }
      : { word: 'partly_refunded', sentence: 'A part of the captured amount is refunded.' }
  }
  if (capturedMinor > 0n) {
    if (leftToCapture > 0n)
      return {
        word: 'partly_captured',
        sentence: 'A part is captured. The rest is held on the card.',
      }
    return {
      word: 'captured',
      sentence:
        voidedMinor > 0n ? 'Captured. The rest was voided or released.' : 'Captured in full.',
    }
  }
  if (voidedMinor === authorizedMinor && order.releasedAt === null)
    return { word: 'voided', sentence: 'Voided. The customer is not charged.' }
  if (order.expired || order.releasedAt !== null)
    return { word: 'expired', sentence: 'The authorization expired and was released.' }
  return {
    word: 'authorized',
    sentence: 'The amount is held on the card and can be captured.',
  }
}

function checksOf(
  { authentication }: OrderRows,
  first: TransactionRow | undefined,
): OrderPage['checks'] {
  const status = authentication === null ? '' : authentication.response || authentication.status
  const eci = authentication?.eci ?? ''
  return {
    avs: inWords(first?.avsCode ?? '', AVS_CODES),
    cvv: inWords(first?.cvvCode ?? '', CVV_CODES),
    threeDs:
      status === ''
        ? null
        : { code: status, words: TRANS_STATUS_WORDS[status as TransStatus] ?? status },
    eci: inWords(eci, ECI_WORDS),
  }
}

function inWords(code: string, words: Readonly<Record<string, string>>): CodeInWords | null {
  return code === '' ? null : { code, words: words[code] ?? 'Unknown code' }
}

/** Why a transaction was not approved; null for one that was, or is not over. */
export function refusalOf(row: TransactionRow, brand: string): OrderRefusal | null {
  if (row.state !== 'declined' && row.state !== 'failed') return null
  const meaning = explainRefusal({ ...row, brand }, row.concludedAt ?? row.createdAt)
  return {
    ...meaning,
    transactionId: row.id,
    service: { code: String(row.serviceCode), words: serviceAdvice(row.serviceCode) },
    processor: bankCode(row.processorCode, row.processorAdvice),
    industry: bankCode(row.industryCode, row.industryAdvice),
  }
}

const PARTS = ['street', 'street2', 'district'] as const

function addressLines(address: Readonly<Record<string, string>>): string[] {
  const place = [address['postalCode'], address['city'], address['state']].filter(Boolean).join(' ')
  return [...PARTS.map((part) => address[part] ?? ''), place, address['country'] ?? ''].filter(
    (line) => line !== '',
  )
}

/** A card product as one line of words. */
function cardDetail(product: CardProduct): string {
  return [
    product.type,
    product.detail.toLowerCase(),
    product.class.toLowerCase(),
    product.prepaid ? 'prepaid' : '',
    product.networkToken ? 'network token' : '',
    product.country,
    product.bank,
  ]
    .filter((part) => part !== '')
    .join(', ')
}

function moneyOf({ ledger, operatorFees, settlements }: OrderRows): OrderMoney {
  return { ledger, operatorFees, settlements }
}
