import { createHash } from 'node:crypto'
import type pg from 'pg'
import { createTransact } from '../../../../src/adapters/postgres/audit/admin-transaction.ts'
import { disputeInvariants } from '../../../../src/adapters/postgres/books/invariants/dispute-invariants.ts'
import { answerTx } from '../../../../src/adapters/postgres/disputes/answer-rows.ts'
import { createDisputeReader } from '../../../../src/adapters/postgres/disputes/dispute-reader.ts'
import { noticeTx } from '../../../../src/adapters/postgres/disputes/notice-rows.ts'
import { createOwnerStore } from '../../../../src/adapters/postgres/disputes/owner-store.ts'
import { createDisputeWatchStore } from '../../../../src/adapters/postgres/disputes/watch-store.ts'
import { createDisputeAnswers } from '../../../../src/usecases/disputes/answer-dispute.ts'
import type { DisputeAnswers } from '../../../../src/usecases/disputes/answer-dispute.ts'
import type { DisputeReader } from '../../../../src/usecases/disputes/dispute-views.ts'
import {
  importNotices,
  type NoticeImport,
} from '../../../../src/usecases/disputes/import-notices.ts'
import { watchDisputes } from '../../../../src/usecases/disputes/watch-disputes.ts'
import { noticeFileText } from '../../../domain/disputes/notice-text.ts'
import { openBooks, type SettlementBooks } from '../settlement/settlement-books.ts'

export const BY = { actor: 'operator:test', address: '' }
/** The receipt of every notice, unless a test states another time. */
export const RECEIVED = new Date('2026-11-20T10:00:00Z')

const hash = (content: string | Uint8Array): string =>
  createHash('sha256').update(content).digest('hex')

/** A seal that only turns the bytes around: the vault's own has a test of its own. */
export const reversing = {
  sealFile: async (content: Uint8Array) => ({
    content: Buffer.from(content.toReversed()),
    key: Buffer.from([1]),
    dataKeyId: 1,
  }),
  openFile: ({ content }: { readonly content: Buffer }) =>
    Promise.resolve(Buffer.from(content.toReversed())),
  sealNote: async (text: string) => ({
    ciphertext: Buffer.from(Buffer.from(text).toReversed()),
    dataKeyId: 1,
  }),
  openNote: (ciphertext: Buffer) =>
    Promise.resolve(Buffer.from(ciphertext.toReversed()).toString('utf8')),
}

/** The books of one merchant account with disputes. */
export interface DisputeBooks extends SettlementBooks {
  /** Imports a file with these notices, their numbers made good. */
  notices(records: readonly Readonly<Record<string, unknown>>[]): Promise<NoticeImport>
  importText(text: string): Promise<NoticeImport>
  readonly answers: DisputeAnswers
  readonly reader: DisputeReader
  watch(at: string): ReturnType<typeof watchDisputes>
  /** Case, state, order, blocked amount and the day of answer of each dispute. */
  disputes(): Promise<string[]>
}

/** Imports a file of notices, as an operator does. */
export const importNoticeText = (pool: pg.Pool, text: string): Promise<NoticeImport> =>
  importNotices(
    {
      transact: createTransact(pool, noticeTx),
      owners: createOwnerStore(pool),
      clock: { now: () => RECEIVED },
      by: BY.actor,
      sha256: hash,
    },
    'notices.jsonl',
    text,
  )

/** @param url a database with the schema */
export async function openDisputeBooks(url: string, mode: 'test' | 'live'): Promise<DisputeBooks> {
  const books = await openBooks(url, mode)
  const { pool } = books.database
  let last = 0
  const importText = (text: string) => importNoticeText(pool, text)
  return {
    ...books,
    importText,
    async notices(records) {
      const numbered = records.map((record, at) => ({ n: last + at + 1, ...record }))
      const outcome = await importText(noticeFileText(numbered, { mode }))
      if (outcome.kind === 'recorded') last += outcome.recorded
      return outcome
    },
    answers: createDisputeAnswers(
      createTransact(pool, (client) => answerTx(client, reversing, hash)),
      { now: () => RECEIVED },
      null,
    ),
    reader: createDisputeReader(pool, reversing),
    watch: (at) =>
      watchDisputes({
        store: createDisputeWatchStore(books.database.files()),
        clock: { now: () => new Date(at) },
      }),
    disputes: () =>
      books.rows(`select case_id, state, coalesce(order_id::text, 'no order'), blocked_minor,
                         coalesce(respond_by::text, '-') from disputes order by id`),
    async broken() {
      const names = await books.broken()
      for (const { name, sql } of disputeInvariants) {
        if ((await pool.query(sql)).rows.length > 0) names.push(name)
      }
      return names
    },
  }
}
