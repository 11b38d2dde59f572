/** For the database, the bank, logs and files: what a worker opens that is no client's. */
const OWN_FILES = 256

/**
 * How many files and sockets this process may have open; null where the system has no such limit.
 */
export function openFileLimit(): number | null {
  // Only the limits are wanted: to look up the names of peers would take its time.
  const report = Object.assign(process.report, { excludeNetwork: true, excludeEnv: true })
  const { userLimits } = report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } }
  }
  const soft = userLimits?.open_files?.soft
  return typeof soft === 'number' ? soft : null
}

/** As many connections as were asked for, or as leave enough files for the worker itself. */
export function connectionsThatFit(asked: number, openFiles: number | null): number {
  if (openFiles === null) return asked
  return Math.max(16, Math.min(asked, openFiles - Math.min(OWN_FILES, Math.floor(openFiles / 2))))
}
