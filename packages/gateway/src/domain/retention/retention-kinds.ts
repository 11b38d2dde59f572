/** One kind of data that is erased after some days. */
interface RetentionKind {
  /** The setting with the days; 0 keeps the data without end. */
  readonly setting: string
  readonly days: string
  /** As commands, the audit log and docs/operators/retention.md name it. */
  readonly title: string
  /** The erased rows, and the beginning of the days. */
  readonly erases: string
  /** Why nothing needs it any more. */
  readonly because: string
  /** The fewest days beside 0, as operators write it. */
  readonly least: string
  /** The harm of fewer days; '' if there is none. */
  readonly breaks: string
}

/** For kinds that nothing needs once they have ended. */
const NO_LIMIT = { least: '1', breaks: '' } as const

/**
 * Every kind, in the sequence of its passes. Settings, commands and the documentation follow from
 * this table.
 */
export const RETENTION_KINDS = {
  guest_cards: {
    setting: 'RETENTION_GUEST_CARD_DAYS',
    days: '180',
    title: 'card numbers of guests',
    erases: 'the number of a card, that many days after the last movement of its only order',
    because: 'no request asked to keep the number, and refunds are over by then',
    least: '30',
    breaks: 'customers may return goods for some weeks, and a refund needs the number',
  },
  advices: {
    setting: 'RETENTION_ADVICE_DAYS',
    days: '30',
    title: 'acknowledged advices',
    erases: "an order's advices, that many days after the bank acknowledged the last one",
    because: 'the ledger has the amounts, and captures of a closed batch cannot be voided',
    least: '14',
    breaks: 'settlement files name advices, and may come late',
  },
  three_ds_messages: {
    setting: 'RETENTION_THREE_DS_MESSAGE_DAYS',
    days: '120',
    title: '3-D Secure messages',
    erases: 'messages that are that old',
    because: 'the authentication keeps its result, ECI and transaction ids',
    ...NO_LIMIT,
  },
  requests: {
    setting: 'RETENTION_REQUEST_DAYS',
    days: '90',
    title: 'requests',
    erases: 'requests and their parameters that are that old',
    because: 'orders, transactions and idempotency keys have what repeats and inquiries need',
    least: '35',
    breaks: 'references and idempotency keys answer repeats of a request for 35 days',
  },
  operations: {
    setting: 'RETENTION_OPERATION_DAYS',
    days: '90',
    title: 'operations without a transaction',
    erases: 'refused and interrupted operations of portal users that ended that long ago',
    because: 'they moved nothing; the audit log has them too',
    ...NO_LIMIT,
  },
  sessions: {
    setting: 'RETENTION_SESSION_DAYS',
    days: '30',
    title: 'sessions',
    erases: 'sessions of portal users that ended or were last used that long ago',
    because: 'they expired; the audit log has every sign-in',
    ...NO_LIMIT,
  },
  operator_sessions: {
    setting: 'RETENTION_OPERATOR_SESSION_DAYS',
    days: '30',
    title: 'sessions of operators',
    erases: 'sessions of operators at the console that ended or were last used that long ago',
    because: 'they expired; the audit log has every sign-in',
    ...NO_LIMIT,
  },
  evidence: {
    setting: 'RETENTION_EVIDENCE_DAYS',
    days: '540',
    title: 'evidence of disputes',
    erases: 'texts and files of answers to a dispute, that many days after its end',
    because: 'networks take no further step then; the case keeps names, sizes and hashes',
    least: '90',
    breaks: 'networks allow further steps for 90 days',
  },
  events: {
    setting: 'RETENTION_EVENT_DAYS',
    days: '35',
    title: 'days of events',
    erases: 'all events of a day that is that long over',
    because: 'a client of the feed has read them; orders and the portal have the facts',
    least: '30',
    breaks: 'a client of the feed may be away for 30 days',
  },
  deliveries: {
    setting: 'RETENTION_WEBHOOK_DAYS',
    days: '30',
    title: 'deliveries of webhooks',
    erases: 'a delivery and its attempts, that many days after it succeeded or failed',
    because: 'the endpoint has the event, or its merchant has seen the failure',
    least: '3',
    breaks: 'a receiver that was away for three days asks for them again',
  },
  caught_webhooks: {
    setting: 'RETENTION_CAUGHT_WEBHOOK_DAYS',
    days: '7',
    title: 'caught webhooks',
    erases: "webhooks that the sandbox's own receivers caught, that many days ago",
    because: 'they are copies of test events; each site keeps its newest 200 only',
    ...NO_LIMIT,
  },
  mails: {
    setting: 'RETENTION_MAIL_DAYS',
    days: '30',
    title: 'mails',
    erases: 'a mail with its address and texts, that many days after it was sent or failed',
    because: 'the recipient has it, or the log has shown the failure',
    ...NO_LIMIT,
  },
  customers: {
    setting: 'RETENTION_CUSTOMER_DAYS',
    days: '0',
    title: 'personal data of customers',
    erases:
      'the personal data of a customer, that many days after the last movement of their orders',
    because: 'the merchant decides that its purpose is over; orders and amounts stay',
    least: '120',
    breaks: 'cardholders may dispute a payment for 120 days, and an answer names the customer',
  },
} as const satisfies Readonly<Record<string, RetentionKind>>

export type RetentionKindName = keyof typeof RETENTION_KINDS

/** Days by kind; 0 keeps it without end. */
export type RetentionDays = Readonly<Record<RetentionKindName, number>>

/** The kinds in their sequence. */
export const RETENTION_KIND_NAMES = Object.keys(RETENTION_KINDS) as readonly RetentionKindName[]
