/** How many findings each file had when they were counted. A path that is not here has none. */
export type Counts = Readonly<Record<string, number>>

/** A sentence for each file with more findings than on record. */
export function growths(recorded: Counts, measured: Counts): string[] {
  return Object.entries(measured)
    .filter(([path, now]) => now > (recorded[path] ?? 0))
    .map(([path, now]) => `${path}: ${now} findings, and ${recorded[path] ?? 0} on record`)
}

/** The record with every number that has become smaller, and with none that has become larger. */
export function lowered(recorded: Counts, measured: Counts): Counts {
  const entries = Object.entries(recorded).map(
    ([path, before]) => [path, Math.min(before, measured[path] ?? 0)] as const,
  )
  return Object.fromEntries(entries.filter(([, count]) => count > 0))
}

/** A line for each path, so that a change is one line of a diff. */
export function writtenCounts(counts: Counts): string {
  const lines = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, count]) => `  ${JSON.stringify(path)}: ${count}`)
  return lines.length === 0 ? '{}\n' : `{\n${lines.join(',\n')}\n}\n`
}
