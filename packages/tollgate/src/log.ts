import { hostname } from 'node:os'

/** The supervisor's log. No message may hold a secret. */
export interface Log {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

const LEVELS = { info: 30, warn: 40, error: 50 } as const

/** The least level that is written, for each LOG_LEVEL. */
const LEAST: Readonly<Record<string, number>> = {
  trace: 10,
  debug: 20,
  ...LEVELS,
  fatal: 60,
  silent: 99,
}

/**
 * Lines for an operator at a terminal, and JSON lines with the fields and level numbers of the
 * gateway's own log everywhere else.
 * @param logLevel the setting LOG_LEVEL; `info` if it is absent or invalid
 */
export function createLog(
  output: { write(text: string): unknown; readonly isTTY?: boolean },
  logLevel: string | undefined,
): Log {
  const least = LEAST[logLevel?.trim() ?? ''] ?? LEVELS.info
  const line = (level: keyof typeof LEVELS, message: string): void => {
    if (LEVELS[level] < least) return
    const now = new Date()
    if (output.isTTY === true) {
      const label = level === 'info' ? '' : `${level}: `
      output.write(`${now.toISOString().slice(11, 19)}  ${label}${message}\n`)
      return
    }
    const base = { level: LEVELS[level], time: now.getTime(), name: 'supervisor' }
    const entry = { ...base, node: hostname(), pid: process.pid, msg: message }
    output.write(`${JSON.stringify(entry)}\n`)
  }
  return {
    info: (message) => line('info', message),
    warn: (message) => line('warn', message),
    error: (message) => line('error', message),
  }
}
