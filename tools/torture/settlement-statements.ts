import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import {
  statementXml,
  type EntryFacts,
} from '../../packages/gateway/test/adapters/postgres/settlement/statement-xml.ts'
import { readSettledFile, type SettledFile } from './settled-file.ts'
import { payoutsOf, type Deposit } from './settlement-model.ts'
import type { Stage } from './stage.ts'

export const CURRENCY = 'USD'
export const IBAN = 'DE89370400440532013000'
export const PAYER = 'BANK-DEMO ACQUIRING'
/** A command that waits for a database that hangs. */
const COMMAND_DEADLINE_MS = 30_000

/** The merchant's bank: it states each payout in a bank statement. */
export interface StatementBank {
  /** The entries of all imported statements. */
  readonly deposits: readonly Deposit[]
  /**
   * Writes the next statement, if a booked file has a payout that none has, and imports it by a
   * command. SIGKILL ends the command after `killAfterMs`, unless it is null; the same statement is
   * imported again then.
   * @returns whether nothing is left to be imported
   */
  importNext(killAfterMs: number | null): Promise<boolean>
}

export function openStatementBank(
  { bankFolder, pool, runCommand }: Pick<Stage, 'bankFolder' | 'pool' | 'runCommand'>,
  folder: string,
): StatementBank {
  mkdirSync(folder, { recursive: true })
  const deposits: Deposit[] = []
  let [statements, balance] = [0, 0n]
  let open: { readonly path: string; readonly entries: readonly Deposit[] } | null = null

  /** Payouts that no statement has. A file that the gateway has not booked pays nothing yet. */
  const unstated = async (): Promise<readonly Deposit[]> => {
    const booked = await bookedFiles(pool)
    const files = readFiles(bankFolder).filter((file) => booked.has(nameOf(file)))
    const stated = new Set(deposits.map(({ trace }) => trace))
    return payoutsOf(files)
      .filter(({ trace }) => !stated.has(trace))
      .map(({ gross, trace }) => ({ trace, minor: -gross }))
  }
  const write = (entries: readonly Deposit[]): string => {
    statements += 1
    const path = join(folder, `${statements}.xml`)
    const facts = { id: `S${statements}`, sequence: statements, iban: IBAN, currency: CURRENCY }
    const booked = entries.map(({ minor, trace }): EntryFacts => ({
      amount: decimal(minor),
      endToEndId: trace,
      payer: PAYER,
    }))
    writeFileSync(path, statementXml({ ...facts, opening: decimal(balance), entries: booked }))
    balance += entries.reduce((sum, { minor }) => sum + minor, 0n)
    return path
  }
  return {
    deposits,
    async importNext(killAfterMs) {
      if (open === null) {
        const entries = await unstated()
        if (entries.length === 0) return true
        open = { entries, path: write(entries) }
      }
      const command = runCommand(['deposits', 'import', open.path])
      const kill = setTimeout(() => command.kill(), killAfterMs ?? COMMAND_DEADLINE_MS)
      const code = await command.ended
      clearTimeout(kill)
      if (code !== 0) return false
      deposits.push(...open.entries)
      open = null
      return false
    },
  }
}

/** The finished files of the bank, whether the gateway has them or not. */
export function readFiles(bankFolder: string): SettledFile[] {
  const folder = join(bankFolder, 'settlement')
  return fileNames(bankFolder).map((name) =>
    readSettledFile(readFileSync(join(folder, name), 'utf8')),
  )
}

/** Their names, in the sequence of each account. */
export function fileNames(bankFolder: string): string[] {
  return readdirSync(join(bankFolder, 'settlement'))
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
}

function nameOf({ account, seq }: Pick<SettledFile, 'account' | 'seq'>): string {
  return `${account}/${seq}`
}

async function bookedFiles(pool: pg.Pool): Promise<ReadonlySet<string>> {
  const { rows } = await pool.query<{ account: string; seq: string }>(
    `select s.account, f.seq from settlement_files f
       join settlement_sources s on s.id = f.source_id where f.state = 'booked'`,
  )
  return new Set(rows.map(({ account, seq }) => nameOf({ account, seq: Number(seq) })))
}

/** Minor units as a decimal text with two decimals. */
function decimal(minor: bigint): string {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, '0')
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
