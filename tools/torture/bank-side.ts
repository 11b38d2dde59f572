import { startBank, verifyJournal, type Books } from '@tollgate/bank'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DisputeSide } from './dispute-model.ts'

/** The bank's entry for one message of a gateway: minor units. */
export interface BankEntry {
  readonly approved: bigint
  readonly captured: bigint
  readonly refunded: bigint
  /** Unreferenced credits to a card. */
  readonly unreferenced: bigint
}

export interface BankSide {
  /** By message key; only messages that move or hold money, or once did. */
  readonly entries: ReadonlyMap<string, BankEntry>
  readonly disputes: DisputeSide
  /** Records of the journal by kind. */
  readonly records: Readonly<Record<string, number>>
  /** Contradictions within the bank's own books, a sentence each. */
  readonly contradictions: readonly string[]
}

/** Reads a stopped bank's books from a copy of its folder, so that they stay as they are. */
export async function readBankSide(bankFolder: string): Promise<BankSide> {
  const report = await verifyJournal(bankFolder)
  const records: Record<string, number> = {}
  for (const line of readFileSync(join(bankFolder, 'journal.jsonl'), 'latin1').split('\n')) {
    if (line === '') continue
    const { kind } = JSON.parse(line) as { kind: string }
    records[kind] = (records[kind] ?? 0) + 1
  }
  const copy = `${bankFolder}-copy`
  cpSync(bankFolder, copy, { recursive: true })
  const bank = await startBank({
    host: '127.0.0.1',
    port: 0,
    folder: copy,
    now: Date.now,
    warn: () => undefined,
    onFatal: (error) => {
      throw error
    },
  })
  const entries = entriesOf(bank.books)
  const disputes = disputesOf(bank.books)
  const contradictions = [...report.problems, ...bank.books.findContradictions()]
  await bank.stop()
  rmSync(copy, { recursive: true })
  return { entries, disputes, records, contradictions: [...new Set(contradictions)] }
}

function entriesOf(books: Books): Map<string, BankEntry> {
  const entries = new Map<string, BankEntry>()
  const nothing = { approved: 0n, captured: 0n, refunded: 0n, unreferenced: 0n }
  for (const [key, entry] of books.messages.all()) {
    if (entry.kind === 'auth') {
      const { approved, captured, refunded } = entry
      entries.set(key, { ...nothing, approved, captured, refunded })
    } else if (entry.kind === 'credit') {
      entries.set(key, { ...nothing, unreferenced: entry.amount })
    }
  }
  return entries
}

/** The words of the gateway for stages that the bank names otherwise. */
const STATES: Readonly<Record<string, string>> = { fraud_report: 'reported' }

/** The state of a case is that of its stage, until an answer to it is filed. */
function disputesOf({ disputes }: Books): DisputeSide {
  const accounts = [...disputes.all()]
  return {
    cases: accounts.flatMap(({ cases, merchant }) =>
      [...cases.values()].map(({ answered, brand, id, minor, order, reason, stage }) => ({
        account: merchant,
        id,
        state: answered === null ? (STATES[stage] ?? stage) : 'represented',
        order: order.replaceAll(' ', ''),
        minor: BigInt(minor),
        brand,
        reason,
      })),
    ),
    notices: accounts.flatMap(({ merchant, notices }) =>
      notices.map(({ amount, answer = '', case: caseId, event, id, n }) => ({
        account: merchant,
        n,
        id,
        caseId,
        event,
        minor: BigInt(amount.replace('.', '')),
        answer,
      })),
    ),
  }
}
