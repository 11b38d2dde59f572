import { join } from 'node:path'
import { readBankRole } from './bank-role.ts'
import type { BankRole } from './bank-role.ts'
import { StartupError } from './startup-error.ts'

export interface BankConfig {
  readonly host: string
  readonly port: number
  readonly folder: string
  readonly role: BankRole
}

/** Reads BANK_HOST, BANK_PORT, DATA_DIR and the role. Throws StartupError on a port that is none. */
export function readBankConfig(
  environment: Readonly<Record<string, string | undefined>>,
): BankConfig {
  const { BANK_HOST = '127.0.0.1', BANK_PORT = '8583', DATA_DIR = '.tollgate' } = environment
  const port = Number(BANK_PORT)
  if (!/^\d{1,5}$/.test(BANK_PORT) || port > 65_535) {
    throw new StartupError(`BANK_PORT is "${BANK_PORT}"; it must be a port number, 0 to 65535.`)
  }
  return { host: BANK_HOST, port, folder: join(DATA_DIR, 'bank'), role: readBankRole(environment) }
}
