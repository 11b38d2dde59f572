/** The output of a command. */
export interface Terminal {
  readonly print: (line: string) => void
  readonly complain: (line: string) => void
}
