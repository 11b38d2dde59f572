import {
  NoticeRefusedError,
  readNotice,
  type JsonRecord,
} from '../../domain/disputes/notice-record.ts'
import type { FeedOwner } from './notice-store.ts'
import { recordNotices, type RecordDeps } from './record-notices.ts'

/** A test account of the bundled bank, with the last notice that is recorded. */
export type FetchedAccount = FeedOwner & { readonly lastN: bigint }

export interface NoticeFetchDeps extends RecordDeps {
  readonly findAccounts: () => Promise<readonly FetchedAccount[]>
  /** Notices of an account behind a number, in sequence: the bundled bank's control API. */
  readonly fetch: (account: string, after: bigint) => Promise<readonly JsonRecord[]>
  readonly sha256: (text: string) => string
  readonly onRecorded: (account: bigint, count: number) => void
  /** Called once for each new reason for which notices of an account are refused. */
  readonly onRefused: (account: bigint, reason: string) => void
}

export interface NoticeFetcher {
  /** Records the new notices of every account. Rejects with the first error, after all of them. */
  fetch(): Promise<void>
  /** The accounts whose notices are refused now. */
  refusedCount(): number
}

/** Brings the bundled bank's notices about test accounts into the books. */
export function createNoticeFetcher(deps: NoticeFetchDeps): NoticeFetcher {
  const refused = new Map<bigint, string>()

  async function take(account: FetchedAccount): Promise<void> {
    const { merchantAccountId: id } = account
    try {
      for (let after = account.lastN; ;) {
        const records = await deps.fetch(account.account, after)
        const placed = records.map((record, at) => ({
          notice: readNotice(record, at + 1, deps.sha256),
          line: at + 1,
        }))
        const last = placed.at(-1)
        if (last === undefined) break
        const { recorded } = await recordNotices(deps, account, placed)
        if (recorded > 0) deps.onRecorded(id, recorded)
        after = last.notice.n
      }
      refused.delete(id)
    } catch (error) {
      if (!(error instanceof NoticeRefusedError)) throw error
      if (refused.get(id) !== error.message) deps.onRefused(id, error.message)
      refused.set(id, error.message)
    }
  }

  return {
    async fetch() {
      const errors: unknown[] = []
      for (const account of await deps.findAccounts()) {
        await take(account).catch((error: unknown) => errors.push(error))
      }
      if (errors.length > 0) throw errors[0]
    },
    refusedCount: () => refused.size,
  }
}
