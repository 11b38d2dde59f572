import { readNoticeFile, type NoticeHeader } from '../../domain/disputes/notice-file.ts'
import { NoticeRefusedError } from '../../domain/disputes/notice-record.ts'
import type { FeedOwner } from './notice-store.ts'
import { recordNotices, type RecordDeps, type Recorded } from './record-notices.ts'

export interface OwnerStore {
  /**
   * The merchant account that a settlement source names like this, with its mode; null for none.
   */
  findOwner(header: NoticeHeader): Promise<(FeedOwner & { readonly mode: 'test' | 'live' }) | null>
  /** Writes the refusal to the audit log. */
  recordRefusal(
    owner: FeedOwner | null,
    refusal: { readonly name: string; readonly line: number },
    by: string,
  ): Promise<void>
}

export type NoticeImport =
  | ({ readonly kind: 'recorded'; readonly account: bigint } & Recorded)
  | { readonly kind: 'refused'; readonly line: number; readonly reason: string }

/** Imports a file of notices: all of it or nothing. */
export async function importNotices(
  deps: RecordDeps & {
    readonly owners: OwnerStore
    readonly sha256: (text: string) => string
  },
  name: string,
  text: string,
): Promise<NoticeImport> {
  let owner: FeedOwner | null = null
  try {
    const { header, notices } = readNoticeFile(text, deps.sha256)
    const found = await deps.owners.findOwner(header)
    owner = found
    if (found === null || found.mode !== header.mode) {
      throw new NoticeRefusedError(1, 'The file is for an account that no settlement source names.')
    }
    const placed = notices.map((notice, at) => ({ notice, line: at + 2 }))
    const recorded = await recordNotices(deps, found, placed)
    return { kind: 'recorded', account: found.merchantAccountId, ...recorded }
  } catch (error) {
    if (!(error instanceof NoticeRefusedError)) throw error
    await deps.owners.recordRefusal(owner, { name, line: error.line }, deps.by)
    return { kind: 'refused', line: error.line, reason: error.message }
  }
}
