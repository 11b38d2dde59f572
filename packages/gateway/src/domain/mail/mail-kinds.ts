import type { EventType } from '../events/event-types.ts'
import type { PlaceholderName } from './placeholders.ts'

/** One kind of mail: the events that make it, and the placeholders that its texts may have. */
export interface MailKind {
  /** As commands and pages name it. */
  readonly title: string
  readonly types: readonly EventType[]
  readonly placeholders: readonly PlaceholderName[]
}

const OF_EVERY_MAIL = ['merchant', 'site', 'date'] as const
const OF_A_CUSTOMER = [...OF_EVERY_MAIL, 'first_name', 'last_name', 'amount', 'currency'] as const
const OF_A_PAYMENT = [...OF_A_CUSTOMER, 'order', 'order_id', 'card_brand', 'card_last4'] as const

/** Mails to customers. Each is off until a site switches it on. */
export const CUSTOMER_MAILS = {
  receipt: {
    title: 'receipt of a payment',
    types: ['payment.approved', 'capture.created'],
    placeholders: OF_A_PAYMENT,
  },
  renewal_receipt: {
    title: 'receipt of a renewal',
    types: ['payment.approved'],
    placeholders: [...OF_A_PAYMENT, 'membership'],
  },
  refund_receipt: {
    title: 'receipt of a refund',
    types: ['refund.created', 'refund.approved'],
    placeholders: OF_A_PAYMENT,
  },
  renewal_failed: {
    title: 'notice of a renewal that was not paid',
    types: ['membership.renewal_declined'],
    placeholders: [...OF_A_CUSTOMER, 'membership', 'product', 'next_attempt'],
  },
} as const satisfies Readonly<Record<string, MailKind>>

/** Notices to portal users. Each is off until the user, or an operator, switches it on. */
export const NOTICES = {
  dispute_opened: {
    title: 'dispute opened',
    types: ['dispute.opened'],
    placeholders: [...OF_EVERY_MAIL, 'dispute', 'case', 'amount', 'currency', 'order', 'deadline'],
  },
  payout_deposited: {
    title: 'payout received',
    types: ['payout.deposited'],
    placeholders: [...OF_EVERY_MAIL, 'payout', 'amount', 'currency', 'reference'],
  },
  payment_rejected: {
    title: 'capture or refund rejected by the bank',
    types: ['capture.rejected', 'refund.rejected'],
    placeholders: [...OF_EVERY_MAIL, 'amount', 'currency', 'order', 'order_id'],
  },
  settlement_difference: {
    title: 'settlement difference',
    types: ['settlement.difference'],
    placeholders: [...OF_EVERY_MAIL, 'difference', 'code'],
  },
  endpoint_stopped: {
    title: 'webhook endpoint paused or disabled',
    types: ['endpoint.paused', 'endpoint.disabled'],
    placeholders: [...OF_EVERY_MAIL, 'endpoint', 'reason'],
  },
} as const satisfies Readonly<Record<string, MailKind>>

export type CustomerMailName = keyof typeof CUSTOMER_MAILS
export type NoticeName = keyof typeof NOTICES
export type MailKindName = CustomerMailName | NoticeName

export const MAIL_KINDS: Readonly<Record<MailKindName, MailKind>> = {
  ...CUSTOMER_MAILS,
  ...NOTICES,
}

export const CUSTOMER_MAIL_NAMES = Object.keys(CUSTOMER_MAILS) as readonly CustomerMailName[]
export const NOTICE_NAMES = Object.keys(NOTICES) as readonly NoticeName[]

export function isCustomerMail(name: string): name is CustomerMailName {
  return Object.hasOwn(CUSTOMER_MAILS, name)
}

export function isNotice(name: string): name is NoticeName {
  return Object.hasOwn(NOTICES, name)
}

/** The types of the events that make mails of these kinds, each once. */
export function typesOf(kinds: readonly MailKindName[]): readonly EventType[] {
  return [...new Set(kinds.flatMap((kind) => MAIL_KINDS[kind].types))]
}
