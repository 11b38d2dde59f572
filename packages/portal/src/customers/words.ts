import { amountText } from '../parts/amount.tsx'

interface Words {
  readonly title: string
  /** A sentence or two. */
  readonly meaning: string
}

/** States of memberships. */
export const STATES: Readonly<Record<string, Words>> = {
  active: { title: 'Active', meaning: 'Paid. It renews, or ends after its period.' },
  past_due: {
    title: 'Past due',
    meaning: 'A renewal was not paid.',
  },
  cancel_scheduled: {
    title: 'Cancel scheduled',
    meaning:
      'Paid, and over where the paid period ends. This can not be taken back; sell the product again instead.',
  },
  cancelled: {
    title: 'Cancelled',
    meaning: 'Over: somebody cancelled it, or nobody paid. It is never charged again.',
  },
  ended: {
    title: 'Ended',
    meaning: 'Over: its only period has passed. It is never charged again.',
  },
}

/** What a membership does next. */
export const STEPS: Readonly<Record<string, string>> = {
  renewal: 'Renewal',
  retry: 'Retry',
  end: 'Ends',
  cancel: 'Is cancelled',
  give_up: 'Is given up',
}

/** What a membership that is past due does next. */
export const STEP_MEANINGS: Readonly<Record<string, string>> = {
  renewal: 'The card is charged for the next period.',
  retry: 'The renewal that failed is tried again.',
  give_up:
    'The card must not be charged. If there is no other card by then, the membership is cancelled.',
}

/** What a charge of a renewal came to. */
export const OUTCOMES: Readonly<
  Record<string, { readonly title: string; readonly state: string }>
> = {
  open: { title: 'under way', state: 'running' },
  approved: { title: 'approved', state: 'approved' },
  declined: { title: 'declined', state: 'declined' },
  unknown: { title: 'outcome unknown', state: 'failed' },
  not_sent: { title: 'not sent', state: 'queued' },
  forbidden: { title: 'not attempted', state: 'queued' },
}

const UNITS: Readonly<Record<string, readonly [one: string, many: string]>> = {
  D: ['day', 'days'],
  M: ['month', 'months'],
  Y: ['year', 'years'],
}

interface Terms {
  readonly type: string
  readonly period: { readonly metric: string; readonly length: number }
  readonly priceMinor: string
}

/** `1 month`, `3 months`. */
export function periodText({ metric, length }: Terms['period']): string {
  const [one, many] = UNITS[metric] ?? [metric, metric]
  return `${length} ${length === 1 ? one : many}`
}

/** `19.95 USD every month`, `5.00 USD once, for 30 days`. */
export function termsText({ type, period, priceMinor }: Terms, currency: string): string {
  const price = amountText(priceMinor, currency)
  if (type !== 'renews') return `${price} once, for ${periodText(period)}`
  return `${price} every ${period.length === 1 ? (UNITS[period.metric]?.[0] ?? '') : periodText(period)}`
}

export function expiryText(
  expiry: { readonly month: number; readonly year: number } | null,
): string {
  return expiry === null ? 'not known' : `${String(expiry.month).padStart(2, '0')}/${expiry.year}`
}
