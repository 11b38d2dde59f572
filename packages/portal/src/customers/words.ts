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
    meaning: 'A renewal is unpaid.',
  },
  cancel_scheduled: {
    title: 'Cancellation scheduled',
    meaning:
      'Ends when the paid period ends. You cannot withdraw the cancellation; sell the product again instead.',
  },
  cancelled: {
    title: 'Cancelled',
    meaning: 'Cancelled by a user, or for non-payment. It is never charged again.',
  },
  ended: {
    title: 'Ended',
    meaning: 'Its only period has passed. It is never charged again.',
  },
}

/** The next step of a membership. */
export const STEPS: Readonly<Record<string, string>> = {
  renewal: 'Renewal',
  retry: 'Retry',
  end: 'Ends',
  cancel: 'Ends',
  give_up: 'Cancelled for non-payment',
}

/** The next step of a membership that is past due. */
export const STEP_MEANINGS: Readonly<Record<string, string>> = {
  renewal: 'The card is charged for the next period.',
  retry: 'The failed renewal is retried.',
  give_up:
    'The card cannot be charged. Unless another card is added by then, the membership is cancelled.',
}

/** The outcome of a renewal's charge. */
export const OUTCOMES: Readonly<
  Record<string, { readonly title: string; readonly state: string }>
> = {
  open: { title: 'in progress', state: 'running' },
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
