import { hostname } from 'node:os'

/** The numbers of the levels in every process of Tollgate. */
const LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60, silent: 99 }

type Level = 'info' | 'warn' | 'fatal'

export interface BankLog {
  /** To stdout, which has nothing else. */
  info(message: string, facts: object): void
  warn(sentence: string): void
  /** Written at every LOG_LEVEL. */
  fatal(sentence: string): void
}

/**
 * The bank's log. Under the supervisor its lines have the fields of all other processes. Started by
 * itself, or at a terminal, it prints warnings and errors as plain sentences.
 */
export function createBankLog(
  environment: Readonly<Record<string, string | undefined>>,
  now: () => number,
): BankLog {
  const wanted = environment['LOG_LEVEL']?.trim() || 'info'
  const least = Object.entries(LEVELS).find(([name]) => name === wanted)?.[1] ?? LEVELS.info
  const isPlain = process.send === undefined || process.stderr.isTTY
  const origin = { name: 'bank', node: hostname(), pid: process.pid }
  const line = (level: Level, msg: string, facts: object): string =>
    `${JSON.stringify({ level: LEVELS[level], time: now(), ...origin, msg, ...facts })}\n`
  const print = (level: Level, sentence: string): void => {
    process.stderr.write(isPlain ? `${sentence}\n` : line(level, sentence, {}))
  }
  return {
    info(message, facts) {
      if (LEVELS.info >= least) process.stdout.write(line('info', message, facts))
    },
    warn(sentence) {
      if (LEVELS.warn >= least) print('warn', sentence)
    },
    fatal: (sentence) => print('fatal', sentence),
  }
}
