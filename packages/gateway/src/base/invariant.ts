/** A broken assumption of this program: never the merchant's fault and never expected. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

/**
 * Throws when a condition that must always hold is false. The message must hold no card data,
 * because it is logged unchanged.
 */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}
