import type { Currency } from '../../domain/currency.ts'
import type { AdviceRequest } from '../banks/processor.ts'

/** How much is still on its way, and since when. Ages are whole seconds; 0 where nothing waits. */
export interface QueueState {
  /** One entry for each kind there is, also where none waits. */
  readonly advices: readonly {
    readonly kind: AdviceRequest['kind']
    readonly count: number
    readonly oldestSeconds: number
    /** How often the one that was tried most was sent. */
    readonly mostTries: number
  }[]
  readonly running: { readonly count: number; readonly oldestSeconds: number }
}

/** One advice that the bank has not acknowledged. */
export interface QueuedAdvice {
  readonly orderId: bigint
  readonly kind: AdviceRequest['kind']
  readonly amountMinor: bigint
  readonly currency: Currency
  readonly ageSeconds: number
  readonly tries: number
  readonly nextTryAt: Date
  /** The bank's last answer, where it gave one. */
  readonly responseCode: string | null
}
