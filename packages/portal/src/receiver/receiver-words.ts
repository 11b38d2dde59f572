import type {
  CaughtWebhook,
  ReceiverManner,
  WebhookFault,
  WebhookFaultKind,
  WebhookReceiver,
} from '@tollgate/portal-contract/answers/receiver'

export const MANNERS: readonly { readonly value: ReceiverManner; readonly label: string }[] = [
  { value: 'answer', label: 'a status' },
  { value: 'trickle', label: 'byte by byte' },
  { value: 'hang', label: 'no answer' },
  { value: 'close', label: 'closed connection' },
]

export const FAULTS: readonly { readonly value: WebhookFaultKind; readonly label: string }[] = [
  { value: 'double', label: 'sent twice' },
  { value: 'delay', label: 'delayed' },
  { value: 'reorder', label: 'behind the next event of its object' },
  { value: 'lose', label: 'lost, and reported as delivered' },
  { value: 'forge', label: 'signed with another secret' },
  { value: 'stale', label: 'signed for an old time' },
]

export const VERDICTS: Readonly<
  Record<CaughtWebhook['verdict'], { readonly label: string; readonly color: string }>
> = {
  current: { label: 'valid', color: 'green' },
  previous: { label: 'valid with the old secret', color: 'green' },
  wrong: { label: 'wrong', color: 'red' },
  missing: { label: 'missing', color: 'red' },
  too_old: { label: 'too old', color: 'orange' },
}

const labelOf = (
  list: readonly { readonly value: string; readonly label: string }[],
  value: string,
): string => list.find((one) => one.value === value)?.label ?? value

/** The next answers of a receiver, in words. */
export function answerText({ answer }: Pick<WebhookReceiver, 'answer'>): string {
  const { delayMs, left, manner, retryAfterS, status } = answer
  return [
    manner === 'answer' ? `status ${status}` : labelOf(MANNERS, manner),
    retryAfterS === null ? '' : `Retry-After ${retryAfterS} s`,
    delayMs === 0 ? '' : `after ${delayMs / 1_000} s`,
    left === null ? '' : `for ${left} more`,
  ]
    .filter((text) => text !== '')
    .join(', ')
}

/** A fault of deliveries, in words. */
export function faultText({ kind, left, seconds, share, type }: WebhookFault): string {
  return [
    labelOf(FAULTS, kind),
    kind === 'delay' || kind === 'reorder' ? `${seconds} s` : '',
    type === '' ? 'all events' : type,
    share === 100 ? '' : `${share} of 100`,
    left === null ? '' : `${left} left`,
  ]
    .filter((text) => text !== '')
    .join(', ')
}

/** The answer that a caught request got, in words. */
export function givenText({ manner, status }: Pick<CaughtWebhook, 'manner' | 'status'>): string {
  return manner === 'answer' ? String(status) : labelOf(MANNERS, manner)
}
