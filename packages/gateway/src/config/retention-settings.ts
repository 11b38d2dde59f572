import { z } from 'zod'
import {
  RETENTION_KINDS,
  type RetentionDays,
  type RetentionKindName,
} from '../domain/retention/retention-kinds.ts'
import type { DerivedConfig } from './derived-config.ts'
import { wholeNumber, type SettingKind } from './setting-kinds.ts'

const LONGEST_DAYS = 36_500

/**
 * The days after which data of a kind are erased; 0 keeps them without end. Fewer than the least
 * are refused at the start, with the reason: a gateway that erases too early cannot take it back.
 */
function daysOf(kind: RetentionKindName): SettingKind<number> & {
  readonly shown: (config: DerivedConfig) => string
} {
  const { days, least, breaks } = RETENTION_KINDS[kind]
  const range = wholeNumber(days, Number(least), LONGEST_DAYS, ' of days')
  const reason = breaks === '' ? '' : `: ${breaks}`
  return {
    ...range,
    schema: z.union([z.literal('0').transform(Number), range.schema]),
    expected: `0 (kept without end) or ${range.expected}${reason}`,
    shown: ({ retention }) => String(retention[kind]),
  }
}

/** A setting for each kind of retention, in the sequence of the kinds. */
export const RETENTION_SETTINGS = {
  RETENTION_GUEST_CARD_DAYS: daysOf('guest_cards'),
  RETENTION_ADVICE_DAYS: daysOf('advices'),
  RETENTION_THREE_DS_MESSAGE_DAYS: daysOf('three_ds_messages'),
  RETENTION_REQUEST_DAYS: daysOf('requests'),
  RETENTION_OPERATION_DAYS: daysOf('operations'),
  RETENTION_SESSION_DAYS: daysOf('sessions'),
  RETENTION_OPERATOR_SESSION_DAYS: daysOf('operator_sessions'),
  RETENTION_EVIDENCE_DAYS: daysOf('evidence'),
  RETENTION_EVENT_DAYS: daysOf('events'),
  RETENTION_WEBHOOK_DAYS: daysOf('deliveries'),
  RETENTION_CAUGHT_WEBHOOK_DAYS: daysOf('caught_webhooks'),
  RETENTION_MAIL_DAYS: daysOf('mails'),
  RETENTION_CUSTOMER_DAYS: daysOf('customers'),
} as const

type RetentionValues = Readonly<Record<keyof typeof RETENTION_SETTINGS, number>>

/** The values of these settings by kind. */
export function retentionOf(values: RetentionValues): RetentionDays {
  return {
    guest_cards: values.RETENTION_GUEST_CARD_DAYS,
    advices: values.RETENTION_ADVICE_DAYS,
    three_ds_messages: values.RETENTION_THREE_DS_MESSAGE_DAYS,
    requests: values.RETENTION_REQUEST_DAYS,
    operations: values.RETENTION_OPERATION_DAYS,
    sessions: values.RETENTION_SESSION_DAYS,
    operator_sessions: values.RETENTION_OPERATOR_SESSION_DAYS,
    evidence: values.RETENTION_EVIDENCE_DAYS,
    events: values.RETENTION_EVENT_DAYS,
    deliveries: values.RETENTION_WEBHOOK_DAYS,
    caught_webhooks: values.RETENTION_CAUGHT_WEBHOOK_DAYS,
    mails: values.RETENTION_MAIL_DAYS,
    customers: values.RETENTION_CUSTOMER_DAYS,
  }
}
