/** The supervisor's log. No message may hold a secret. */
export interface Log {
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

const LEVELS = { info: 30, warn: 40, error: 50 } as const

/**
 * Lines for an operator at a terminal, and JSON lines with the fields and level numbers of the
 * gateway's own log everywhere else.
 */
export function createLog(output: { write(text: string): unknown; readonly isTTY?: boolean }): Log {
  const line = (level: keyof typeof LEVELS, message: string): void => {
    const now = new Date()
    if (output.isTTY === true) {
      const label = level === 'info' ? '' : `${level}: `
      output.write(`${now.toISOString().slice(11, 19)}  ${label}${message}\n`)
      return
    }
    const entry = { level: LEVELS[level], time: now.getTime(), name: 'supervisor', msg: message }
    output.write(`${JSON.stringify(entry)}\n`)
  }
  return {
    info: (message) => line('info', message),
    warn: (message) => line('warn', message),
    error: (message) => line('error', message),
  }
}
