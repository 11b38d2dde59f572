/** A request's key and content, as keyed digests in hexadecimal text. */
export interface IdempotencyKey {
  readonly key: string
  readonly content: string
}

/** The request that took a key, by the transaction that came of it. */
export interface KeyHolder {
  readonly content: string
  readonly transactionId: bigint
}

/** `free`: the request may take the key; `reused`: the key names another request. */
export type KeyDecision =
  | { readonly kind: 'free' }
  | { readonly kind: 'repeat'; readonly transactionId: bigint }
  | { readonly kind: 'reused' }

/** The consequence of a key's holder, if any, for another request under the key. */
export function decideKey(holder: KeyHolder | null, { content }: IdempotencyKey): KeyDecision {
  if (holder === null) return { kind: 'free' }
  if (holder.content !== content) return { kind: 'reused' }
  return { kind: 'repeat', transactionId: holder.transactionId }
}

/** An order of a reference, as far as an adjustment by reference needs it. */
export interface ReferencedOrder {
  readonly orderId: bigint
  readonly isAuthorized: boolean
}

/**
 * The one order that a reference names. Declined and failed orders hold no money, so they do not
 * count beside an authorized one. `orders` has the authorized ones first, and two are enough.
 */
export function pickReferenced(
  orders: readonly ReferencedOrder[],
): ReferencedOrder | 'none' | 'ambiguous' {
  const [first, second] = orders
  if (first === undefined) return 'none'
  if (second === undefined) return first
  return first.isAuthorized && !second.isAuthorized ? first : 'ambiguous'
}
