/** Where a command's text goes. */
export interface Terminal {
  readonly print: (line: string) => void
  readonly complain: (line: string) => void
}
