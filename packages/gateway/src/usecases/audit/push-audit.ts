import type { ChainedEntry } from './audit-chain.ts'

/** The lease on the position of the receiver. */
export interface PushClaim {
  /** Names the lease: the position moves only while no other one was given. */
  readonly claim: bigint
  /** The entries after the position, in the order of the chain; at least one. */
  readonly entries: readonly ChainedEntry[]
  /** The number of the last of them. */
  readonly last: bigint
}

/** How far the receiver has the log. Each call is one transaction and leaves no lock behind. */
export interface AuditPushStore {
  /**
   * Takes the lease and reads at most `limit` entries. Null if there are none, or while another
   * process has the lease.
   */
  claim(limit: number): Promise<PushClaim | null>
  /** Moves the position to an entry that the receiver has, and ends the lease. */
  advance(claim: bigint, number: bigint): Promise<void>
  /** Keeps the lease for `ms` milliseconds more, so that no process retries before. */
  postpone(claim: bigint, ms: number): Promise<void>
}

/**
 * Sends entries, and returns only when the receiver has all of them.
 * @throws any error if it may lack one
 */
export type SendEntries = (entries: readonly ChainedEntry[]) => Promise<void>

export interface AuditPushNeeds {
  readonly store: AuditPushStore
  readonly send: SendEntries
  /** Entries of one batch, at most. */
  readonly batch: number
  /** After a failure, milliseconds until the next attempt. */
  readonly retryMs: number
  readonly onFailure: (error: unknown) => void
}

/**
 * Sends the next batch to the receiver. A batch whose end is unknown is sent again, so an entry
 * arrives at least once, and never before the one that precedes it.
 * @returns sends one batch; true if there may be more
 */
export function createPushAudit(needs: AuditPushNeeds): () => Promise<boolean> {
  const { batch, onFailure, retryMs, send, store } = needs
  return async () => {
    const claimed = await store.claim(batch)
    if (claimed === null) return false
    const { claim, entries, last } = claimed
    try {
      await send(entries)
    } catch (error) {
      onFailure(error)
      await store.postpone(claim, retryMs)
      return false
    }
    await store.advance(claim, last)
    return entries.length === batch
  }
}
