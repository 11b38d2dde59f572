import type { Clock } from '../../base/clock.ts'
import type { Processor } from '../banks/processor.ts'
import type { AdviceStore, DueAdvice } from './advice-store.ts'

export interface AdviceDeliveryDeps {
  readonly store: AdviceStore
  readonly processor: Pick<Processor, 'deliver'>
  readonly clock: Clock
  readonly bankTimeoutMs: number
  /** The bank accepted the advice and reports a conflict with its books: an operator must check. */
  readonly onDisagreement: (advice: DueAdvice, responseCode: string) => void
  /** Runs each delivery and records it; null: deliveries are not recorded. */
  readonly recorded: ((advice: DueAdvice, work: () => Promise<void>) => Promise<void>) | null
  /** One was acknowledged, so that the next of its order may be due. */
  readonly onAcknowledged: () => void
}

export interface AdviceDelivery {
  /** Sends what is due and has room; true when there may be more right away. */
  run(): Promise<boolean>
  /** Resolves when none is under way. */
  idle(): Promise<void>
}

/** Under way at once in this process. Merchants share these places: see `AdviceStore.take`. */
const MOST_UNDER_WAY = 256
/** Beyond the bank's time-out, so that an advice is not sent by two processes at once. */
const LEASE_MARGIN_MS = 10_000
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 60_000

/**
 * Sends the queued advices. An advice without an acknowledgement stays queued and is retried
 * without end, at growing intervals. A waiting advice delays only the rest of its own order, and
 * many of them only those of their merchant.
 */
export function createAdviceDelivery(deps: AdviceDeliveryDeps): AdviceDelivery {
  const underWay = new Set<Promise<void>>()
  const used = new Map<bigint, number>()
  let failure: { readonly error: unknown } | null = null

  function count(merchantId: bigint, places: 1 | -1): void {
    const now = (used.get(merchantId) ?? 0) + places
    if (now === 0) used.delete(merchantId)
    else used.set(merchantId, now)
  }

  function send(advice: DueAdvice): void {
    const { merchantId } = advice.request.account
    const { recorded } = deps
    const delivery =
      recorded === null ? deliver(deps, advice) : recorded(advice, () => deliver(deps, advice))
    const sending = delivery
      .catch((error: unknown) => {
        // Its lease runs out, and it is sent again. The next run reports that something is wrong.
        failure = { error }
      })
      .finally(() => {
        underWay.delete(sending)
        count(merchantId, -1)
      })
    underWay.add(sending)
    count(merchantId, 1)
  }

  return {
    async run() {
      if (failure !== null) {
        const { error } = failure
        failure = null
        throw error
      }
      if (underWay.size >= MOST_UNDER_WAY) await Promise.race(underWay)
      const now = deps.clock.now()
      const lease = new Date(now.getTime() + deps.bankTimeoutMs + LEASE_MARGIN_MS)
      const due = await deps.store.take({ free: MOST_UNDER_WAY - underWay.size, used }, now, lease)
      for (const advice of due) send(advice)
      return due.length > 0
    },
    async idle() {
      await Promise.all(underWay)
    },
  }
}

async function deliver(deps: AdviceDeliveryDeps, advice: DueAdvice): Promise<void> {
  const outcome = await deps.processor.deliver(advice.request, deps.bankTimeoutMs)
  const at = deps.clock.now()
  if (outcome.kind === 'acknowledged') {
    const { batch } = advice.request
    await deps.store.acknowledge(advice.id, outcome.responseCode, at, batch?.id ?? null)
    if (!outcome.agreed) deps.onDisagreement(advice, outcome.responseCode)
    deps.onAcknowledged()
    return
  }
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(advice.tries - 1, 16), LONGEST_WAIT_MS)
  const responseCode = outcome.kind === 'refused' ? outcome.responseCode : null
  await deps.store.postpone(advice.id, new Date(at.getTime() + waitMs), responseCode)
}
