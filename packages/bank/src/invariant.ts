/** A broken assumption about this program itself. The bank stops rather than write on. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

/** Throws InvariantError with this sentence when the claim does not hold. */
export function invariant(claim: boolean, sentence: string): asserts claim {
  if (!claim) throw new InvariantError(sentence)
}
