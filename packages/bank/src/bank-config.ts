import { join } from 'node:path'
import { StartupError } from './startup-error.ts'

export interface BankConfig {
  readonly host: string
  readonly port: number
  /** Of the control API, which listens on the loopback address only; 0 for any free port. */
  readonly controlPort: number
  readonly folder: string
  /** How long the gateway waits for an answer: what is late is measured by it. */
  readonly gatewayTimeoutMs: number
}

const HIGHEST_PORT = 65_535

/**
 * Reads BANK_HOST, BANK_PORT, BANK_CONTROL_PORT, BANK_TIMEOUT_MS and DATA_DIR. Throws StartupError on
 * a number that is none.
 */
export function readBankConfig(
  environment: Readonly<Record<string, string | undefined>>,
): BankConfig {
  const { BANK_HOST = '127.0.0.1', BANK_PORT = '8583', DATA_DIR = '.tollgate' } = environment
  const port = readPort('BANK_PORT', BANK_PORT)
  const next = port === 0 ? '0' : String(port + 1)
  const controlPort = readPort('BANK_CONTROL_PORT', environment['BANK_CONTROL_PORT'] || next)
  const gatewayTimeoutMs = readTimeout(environment['BANK_TIMEOUT_MS'] || '25000')
  return { host: BANK_HOST, port, controlPort, folder: join(DATA_DIR, 'bank'), gatewayTimeoutMs }
}

function readTimeout(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text)
  throw new StartupError(
    `BANK_TIMEOUT_MS is "${text}"; it must be a whole number of milliseconds, up to 999999.`,
  )
}

function readPort(name: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= HIGHEST_PORT) return Number(text)
  throw new StartupError(`${name} is "${text}"; it must be a port number, 0 to 65535.`)
}
