import type { RetentionKindName } from '../../domain/retention/retention-kinds.ts'

/** A kind, its days, and the machine's time that they count back from. */
export interface RetentionRule {
  readonly kind: RetentionKindName
  readonly days: number
  readonly now: Date
}

/** When the last whole pass of a kind ended; null while none has. */
export interface RetentionPass {
  readonly kind: string
  readonly endedAt: Date | null
}

/** How a step ended. Null instead: another process has the pass, or none is due. */
export interface RetentionStep {
  readonly erased: number
  readonly isEnd: boolean
}

/**
 * The rows of each kind, walked by their primary key in small steps. The position of a pass is in
 * the database, so that any process continues after one that died.
 */
export interface RetentionStore {
  /**
   * How many of the next rows behind an id would go now, and the earliest beginning of their days.
   * `last` is the last id; null at the end.
   */
  countPage(
    rule: RetentionRule,
    after: bigint,
  ): Promise<{ readonly due: number; readonly oldest: Date | null; readonly last: bigint | null }>
  /** The last whole pass of each kind that a process has started. */
  readPasses(): Promise<readonly RetentionPass[]>
  /**
   * Erases among the next rows, in one transaction. The last step of a pass writes the audit entry
   * of the whole pass. `isDueOnly`: does nothing until the pass is due.
   */
  step(rule: RetentionRule, actor: string, isDueOnly: boolean): Promise<RetentionStep | null>
}

/** Why a customer was not erased. */
export type CustomerErasure =
  | { readonly kind: 'done'; readonly cards: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'erased_before' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'refused'; readonly obstacles: readonly string[] }

/** The person who erases a customer. A customer of another merchant does not exist. */
export interface ErasureRequester {
  /** Null for an operator, who may erase customers of every merchant. */
  readonly merchantId: bigint | null
  /** For the audit log. */
  readonly actor: string
  readonly address?: string
}

/** Facts against an erasure now, and its effects. */
export interface ErasurePreview {
  readonly isErased: boolean
  /** A sentence each; none: it can be done. */
  readonly obstacles: readonly string[]
  /** Saved cards with their numbers. */
  readonly cards: number
  readonly orders: number
  /** Captured and still refundable, by currency; no longer so after the erasure. */
  readonly refundable: readonly {
    readonly currency: string
    readonly minor: bigint
    readonly orders: number
  }[]
}

export interface CustomerErasureStore {
  /** Erases the personal data of a customer, with the audit entry, in one transaction. */
  erase(customerId: bigint, now: Date, requester: ErasureRequester): Promise<CustomerErasure>
  /** Null: the merchant has no such customer. */
  preview(merchantId: bigint, customerId: bigint, now: Date): Promise<ErasurePreview | null>
}
