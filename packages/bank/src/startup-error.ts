/** A reason why the bank cannot start, as a whole sentence for the operator. */
export class StartupError extends Error {
  override readonly name = 'StartupError'
}

/** The text of any thrown value. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
