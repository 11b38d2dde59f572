import { FileReader } from '../../domain/settlement/file-reader.ts'
import { FileRefusedError, type FileHeader } from '../../domain/settlement/file-record.ts'
import type { AuditAuthor } from '../audit/audit-log.ts'
import type { AuditedTx, Transact } from '../audit/audited-transaction.ts'
import { importFile, type FileBytes, type ImportDeps } from './import-file.ts'
import { putSource, type SourceTx } from './put-source.ts'

/** A test account of the bundled bank. */
export interface FetchAccount {
  readonly id: bigint
  /** The bank's name of the account (DE 42). */
  readonly account: string
  /** The latest day of the clocks of its test sites, in UTC; null if none has a clock. */
  readonly siteDay: string | null
  /** The last booked number of each source by its currency; 0 before the first file. */
  readonly lastSeqs: ReadonlyMap<string, bigint>
}

export interface FetchStore {
  findAccounts(now: Date): Promise<readonly FetchAccount[]>
}

/** A file that the bank lists. `currency` is ISO 4217 alphabetic. */
export interface OfferedFile {
  readonly name: string
  readonly currency: string
  readonly seq: bigint
}

/** The bundled bank's control API. Each method rejects with its error while the bank is away. */
export interface OfferedFiles {
  /** The test sites of an account have reached a day: the bank makes the files of days before. */
  reachDay(account: string, day: string): Promise<void>
  list(account: string): Promise<readonly OfferedFile[]>
  /** Runs `work` with a copy of the file that can be read more than once. */
  withCopy<Done>(name: string, work: (bytes: FileBytes) => Promise<Done>): Promise<Done>
}

export interface FetchDeps extends ImportDeps {
  readonly accounts: FetchStore
  readonly bank: OfferedFiles
  readonly sources: Transact<SourceTx & AuditedTx>
  readonly onBooked: (name: string) => void
  /** Called once for each new reason for which a file is refused. */
  readonly onRefused: (name: string, reason: string) => void
}

export interface FileFetcher {
  /**
   * Imports the new files of every account, each chain in its sequence. Rejects with the first
   * error, after all accounts had their turn.
   */
  fetch(): Promise<void>
  /** How many files are refused now. */
  refusedCount(): number
}

/** A refused file is read again after this time: the bank may have corrected it. */
const RETRY_REFUSED_MS = 60_000
/** The bank converts at the rate that it published. */
const FX_BAND = 0

/** Brings the bundled bank's settlement files of test accounts into the books. */
export function createFileFetcher(deps: FetchDeps): FileFetcher {
  const { bank } = deps
  const refused = new Map<string, { readonly reason: string; readonly at: number }>()
  const reached = new Map<string, string>()

  function refuse(name: string, reason: string): void {
    const isNew = refused.get(name)?.reason !== reason
    refused.set(name, { reason, at: deps.clock.now().getTime() })
    if (isNew) deps.onRefused(name, reason)
  }

  /** The same refusal is in the audit log once, however often the file is read again. */
  function storeFor(name: string): ImportDeps['store'] {
    return {
      ...deps.store,
      async recordRefusal(of, { code, line }, by) {
        const isKnown = refused.get(name)?.reason.startsWith(`${code} in line ${line}:`)
        if (isKnown !== true) await deps.store.recordRefusal(of, { code, line }, by)
      },
    }
  }

  /** True if the chain can go on with its next file. */
  async function take(account: FetchAccount, file: OfferedFile): Promise<boolean> {
    const { name } = file
    const before = refused.get(name)
    if (before && deps.clock.now().getTime() - before.at < RETRY_REFUSED_MS) return false
    return bank.withCopy(name, async (bytes) => {
      if (!account.lastSeqs.has(file.currency)) {
        const fault = await makeSource(deps, account, file, bytes)
        if (fault !== null) {
          refuse(name, fault)
          return false
        }
      }
      const outcome = await importFile({ ...deps, store: storeFor(name) }, bytes, null)
      if (outcome.kind === 'refused') {
        const { code, line, reason } = outcome.refusal
        refuse(name, `${code} in line ${line}: ${reason}`)
      }
      if (outcome.kind === 'refused' || outcome.kind === 'busy') return false
      refused.delete(name)
      if (outcome.kind === 'booked') deps.onBooked(name)
      return true
    })
  }

  async function takeAll(account: FetchAccount): Promise<void> {
    const { account: name, siteDay } = account
    if (siteDay !== null && siteDay > (reached.get(name) ?? '')) {
      await bank.reachDay(name, siteDay)
      reached.set(name, siteDay)
    }
    const stopped = new Set<string>()
    for (const file of await bank.list(name)) {
      const last = account.lastSeqs.get(file.currency) ?? 0n
      if (stopped.has(file.currency)) continue
      if (file.seq <= last) {
        // An operator has imported it by a command.
        refused.delete(file.name)
      } else if (!(await take(account, file))) {
        stopped.add(file.currency)
      }
    }
  }

  return {
    async fetch() {
      const errors: unknown[] = []
      for (const account of await deps.accounts.findAccounts(deps.clock.now())) {
        // The fault of one account does not stop the others.
        await takeAll(account).catch((error: unknown) => errors.push(error))
      }
      if (errors.length > 0) throw errors[0]
    },
    refusedCount: () => refused.size,
  }
}

/**
 * Makes the source of an account with its first file. A file that does not prove itself, or that is
 * not for the account, makes none: its import states the reason. The answer is a fault, or null.
 */
async function makeSource(
  deps: FetchDeps,
  { account, id }: FetchAccount,
  { currency }: OfferedFile,
  bytes: FileBytes,
): Promise<string | null> {
  const header = await readSoundHeader(deps, bytes)
  const isOurs =
    header !== null &&
    header.account === account &&
    header.currency === currency &&
    header.mode === 'test'
  if (!isOurs) return null
  const by: AuditAuthor = { actor: deps.by, address: '' }
  const { businessDate: since, receiver, sender } = header
  const request = { accountId: id, account, currency, sender, receiver, since }
  const put = await putSource(deps.sources, { ...request, fxBandBasisPoints: FX_BAND }, by)
  return put.ok ? null : put.faults.join(' ')
}

/** The header of a file whose sums and hash hold; null for another one. */
async function readSoundHeader(
  { newSha256 }: Pick<FetchDeps, 'newSha256'>,
  bytes: FileBytes,
): Promise<FileHeader | null> {
  const reader = new FileReader(newSha256())
  try {
    for await (const chunk of bytes.open()) reader.push(chunk)
    return reader.end().header
  } catch (error) {
    if (error instanceof FileRefusedError) return null
    throw error
  }
}
