/** A broken assumption of this program: never the merchant's fault and never expected. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

/**
 * Stops when something that can't be false is false. The message must hold no card data: it goes
 * into the log as it stands.
 */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}
