/**
 * A broken assumption of our own program. It must not be caught to carry on; it holds no card data.
 */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

/** Throws {@link InvariantError} when an assumption of the program does not hold. */
export function invariant(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}
