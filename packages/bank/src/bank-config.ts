import { join } from 'node:path'
import { isTestBank, readBankRole } from './bank-role.ts'
import type { BankRole } from './bank-role.ts'
import { StartupError } from './startup-error.ts'
import type { PortSetting, ThreeDsSettings } from './three-ds/three-ds.ts'

export interface BankConfig {
  readonly host: string
  readonly port: number
  /** Of the control API, which listens on the loopback address only; 0 for any free port. */
  readonly controlPort: number
  readonly folder: string
  /** How long the gateway waits for an answer, in milliseconds: lateness is measured by it. */
  readonly gatewayTimeoutMs: number
  readonly role: BankRole
  /** The simulated 3-D Secure servers, beside the test bank only. */
  readonly threeDs?: ThreeDsSettings
}

const HIGHEST_PORT = 65_535

/**
 * Reads BANK_HOST, BANK_PORT, BANK_CONTROL_PORT, BANK_TIMEOUT_MS, DATA_DIR, the role, and the
 * settings of the 3-D Secure servers. Throws StartupError on an invalid number.
 */
export function readBankConfig(
  environment: Readonly<Record<string, string | undefined>>,
): BankConfig {
  const { BANK_HOST = '127.0.0.1', BANK_PORT = '8583', DATA_DIR = '.tollgate' } = environment
  const port = readPort('BANK_PORT', BANK_PORT)
  const next = port === 0 ? '0' : String(port + 1)
  const controlPort = readPort('BANK_CONTROL_PORT', environment['BANK_CONTROL_PORT'] || next)
  const gatewayTimeoutMs = readTimeout(environment['BANK_TIMEOUT_MS'] || '25000')
  const role = readBankRole(environment)
  return {
    host: BANK_HOST,
    port,
    controlPort,
    folder: join(DATA_DIR, 'bank'),
    gatewayTimeoutMs,
    role,
    ...readThreeDs(environment, port, role),
  }
}

const THREE_DS_PORTS = ['BANK_DS_PORT', 'BANK_ACS_PORT', 'BANK_ACS_BACK_PORT'] as const

/** Their ports follow the control API's. A port without a setting moves if it is in use. */
function readThreeDs(
  environment: Readonly<Record<string, string | undefined>>,
  bankPort: number,
  role: BankRole,
): Pick<BankConfig, 'threeDs'> {
  const asked = THREE_DS_PORTS.filter((name) => (environment[name] ?? '') !== '')
  if (!isTestBank(role)) {
    if (asked.length === 0) return {}
    throw new StartupError(
      `${asked.join(' and ')} can be set for the sandbox bank only: the 3-D Secure servers behind ` +
        'it authenticate test cards for nothing.',
    )
  }
  // In production the simulator authenticates only where a setting requests it.
  const usual = environment['MODE'] === 'production' ? 'off' : 'on'
  if ((environment['THREE_DS_SIMULATOR'] || usual) === 'off') return {}
  const setting = (name: (typeof THREE_DS_PORTS)[number], distance: number): PortSetting => {
    const text = environment[name] ?? ''
    if (text !== '') return { port: readPort(name, text), mayMove: false }
    const next = bankPort === 0 ? 0 : bankPort + distance
    return { port: next > HIGHEST_PORT ? 0 : next, mayMove: true }
  }
  return {
    threeDs: {
      ds: setting('BANK_DS_PORT', 2),
      acs: setting('BANK_ACS_PORT', 3),
      acsBack: setting('BANK_ACS_BACK_PORT', 4),
      dsHost: readHost('BANK_DS_HOST', environment['BANK_DS_HOST'] || 'localhost'),
      acsHost: readHost('BANK_ACS_HOST', environment['BANK_ACS_HOST'] || 'localhost'),
      timeScale: readScale(environment['BANK_3DS_TIME_SCALE'] || '1'),
    },
  }
}

function readHost(name: string, text: string): string {
  if (/^[A-Za-z0-9.-]{1,253}$/.test(text)) return text
  throw new StartupError(`${name} is "${text}"; it must be a host name or an IPv4 address.`)
}

function readScale(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new StartupError(`BANK_3DS_TIME_SCALE is "${text}"; it must be a whole number, 1 to 9999.`)
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
