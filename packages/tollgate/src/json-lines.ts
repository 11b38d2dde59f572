/** Prints a value as JSON of several lines. Ids of 64 bits are numbers, and maps are objects. */
export function printJson(value: unknown, print: (line: string) => void): void {
  print(
    JSON.stringify(
      value,
      (_, part: unknown) => {
        if (part instanceof Map) return Object.fromEntries(part)
        return typeof part === 'bigint' ? Number(part) : part
      },
      2,
    ),
  )
}
