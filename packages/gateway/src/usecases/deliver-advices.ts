import type { Clock } from '../base/clock.ts'
import type { AdviceStore, DueAdvice } from './advice-store.ts'
import type { Processor } from './processor.ts'

export interface DeliverAdvicesDeps {
  readonly store: AdviceStore
  readonly processor: Pick<Processor, 'deliver'>
  readonly clock: Clock
  readonly bankTimeoutMs: number
  /** The bank took the advice and says that it does not fit its books: somebody must look. */
  readonly onDisagreement: (advice: DueAdvice, responseCode: string) => void
}

const DONE = '00'
/** DE 39 of a reversal: done; done before; nothing to reverse. */
const REVERSED = new Set([DONE, '21', '25'])

/** Taken on at once: enough to keep a link busy, few enough to be sent within the lease. */
const GROUP_SIZE = 64
/** Beyond the bank's time-out, so that an advice is not sent by two processes at once. */
const LEASE_MARGIN_MS = 10_000
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 60_000

/**
 * Sends what must reach the bank, once through; true when there may be more right away. What is not
 * acknowledged stays queued and is sent again, later and later, for ever.
 */
export async function deliverAdvices(deps: DeliverAdvicesDeps): Promise<boolean> {
  const now = deps.clock.now()
  const lease = new Date(now.getTime() + deps.bankTimeoutMs + LEASE_MARGIN_MS)
  const due = await deps.store.take(GROUP_SIZE, now, lease)
  await Promise.all(due.map((advice) => deliver(deps, advice)))
  return due.length > 0
}

async function deliver(deps: DeliverAdvicesDeps, advice: DueAdvice): Promise<void> {
  const outcome = await deps.processor.deliver(advice.request, deps.bankTimeoutMs)
  const at = deps.clock.now()
  if (outcome.kind === 'acknowledged') {
    await deps.store.acknowledge(advice.id, outcome.responseCode, at)
    if (!isAgreed(advice, outcome.responseCode)) deps.onDisagreement(advice, outcome.responseCode)
    return
  }
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(advice.tries, 16), LONGEST_WAIT_MS)
  const responseCode = outcome.kind === 'refused' ? outcome.responseCode : null
  await deps.store.postpone(advice.id, new Date(at.getTime() + waitMs), responseCode)
}

/** A capture or refund of something reversed (21) or unknown (25) has not moved the money. */
function isAgreed({ request }: DueAdvice, responseCode: string): boolean {
  return request.kind === 'reversal' ? REVERSED.has(responseCode) : responseCode === DONE
}
