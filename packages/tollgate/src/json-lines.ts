/** Prints a value as JSON of several lines; ids of 64 bits are numbers there, as everywhere. */
export function printJson(value: unknown, print: (line: string) => void): void {
  print(
    JSON.stringify(
      value,
      (_, part: unknown) => (typeof part === 'bigint' ? Number(part) : part),
      2,
    ),
  )
}
