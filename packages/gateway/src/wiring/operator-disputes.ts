import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { createTransact } from '../adapters/postgres/audit/admin-transaction.ts'
import { appendAudit } from '../adapters/postgres/audit/audit-log.ts'
import { createAnswerQueue } from '../adapters/postgres/disputes/answer-queue.ts'
import { answerTx } from '../adapters/postgres/disputes/answer-rows.ts'
import { createDisputeReader } from '../adapters/postgres/disputes/dispute-reader.ts'
import { noticeTx } from '../adapters/postgres/disputes/notice-rows.ts'
import { createOwnerStore } from '../adapters/postgres/disputes/owner-store.ts'
import { createRatioStore } from '../adapters/postgres/disputes/ratio-store.ts'
import type { EvidenceSeal } from '../adapters/vault/evidence-seal.ts'
import { systemClock } from '../base/clock.ts'
import type { Result } from '../base/refusal.ts'
import { createDisputeAnswers } from '../usecases/disputes/answer-dispute.ts'
import { readRatios, type RatioView } from '../usecases/disputes/compare-ratios.ts'
import type {
  DisputeFilter,
  DisputeView,
  WholeDispute,
} from '../usecases/disputes/dispute-views.ts'
import { importNotices, type NoticeImport } from '../usecases/disputes/import-notices.ts'
import type { QueuedAnswer } from '../usecases/disputes/send-answers.ts'
import { sha256 } from './dispute-notices.ts'

export { DISPUTE_STATES } from '../domain/disputes/dispute-states.ts'
export type { RatioView } from '../usecases/disputes/compare-ratios.ts'
export type { DisputeView, WholeDispute } from '../usecases/disputes/dispute-views.ts'
export type { NoticeImport } from '../usecases/disputes/import-notices.ts'
export type { QueuedAnswer } from '../usecases/disputes/send-answers.ts'

/** An operator's operations on disputes. */
export interface DisputeOperator {
  /** The newest first, at most so many. */
  list(
    filter: Pick<DisputeFilter, 'merchantAccountId' | 'group'>,
    limit: number,
  ): Promise<readonly DisputeView[]>
  read(id: bigint): Promise<WholeDispute | null>
  /** Imports a file of notices: all of it or nothing. */
  importText(name: string, text: string): Promise<NoticeImport>
  addFile(
    id: bigint,
    file: { readonly name: string; readonly content: Uint8Array },
  ): Promise<Result<{ readonly fileId: bigint }>>
  accept(id: bigint): Promise<Result<{ readonly answerId: bigint }>>
  contest(id: bigint, text: string): Promise<Result<{ readonly answerId: bigint }>>
  /** Answers that wait for an operator to give them to an acquirer. */
  listQueued(): Promise<readonly QueuedAnswer[]>
  /** Writes these answers with their files below a folder, and marks them as sent. */
  writeAnswers(folder: string): Promise<readonly QueuedAnswer[]>
  ratios(months: number): Promise<readonly RatioView[]>
}

const MOST_ANSWERS = 1_000

/** @param openSeal opens the vault's keys: only texts and files of evidence need them */
export function createDisputeOperator(
  pool: pg.Pool,
  actor: string,
  openSeal: () => Promise<EvidenceSeal>,
): DisputeOperator {
  const by = { actor, address: '' }
  const now = () => systemClock.now()
  let opened: Promise<EvidenceSeal> | null = null
  const seal = () => (opened ??= openSeal())
  const opening = {
    openFile: async (...given: Parameters<EvidenceSeal['openFile']>) =>
      (await seal()).openFile(...given),
    openNote: async (...given: Parameters<EvidenceSeal['openNote']>) =>
      (await seal()).openNote(...given),
  }
  const reader = createDisputeReader(pool, opening)
  const queue = createAnswerQueue(pool, opening.openNote)
  const answers = async () => {
    const sealing = await seal()
    const transact = createTransact(pool, (client) => answerTx(client, sealing, sha256))
    return createDisputeAnswers(transact, systemClock, null)
  }
  return {
    list: (filter, limit) =>
      reader.list(
        {
          ...filter,
          merchantId: null,
          orderId: null,
          state: null,
          brand: null,
          currency: null,
          month: null,
        },
        { order: 'newest', after: null, limit },
        now(),
      ),
    read: (id) => reader.read(id, null, now()),
    importText: (name, text) =>
      importNotices(
        {
          transact: createTransact(pool, noticeTx),
          owners: createOwnerStore(pool),
          clock: systemClock,
          by: actor,
          sha256,
        },
        name,
        text,
      ),
    addFile: async (id, file) => (await answers()).addFile(id, file, by),
    accept: async (id) => (await answers()).accept(id, by),
    contest: async (id, text) => (await answers()).contest(id, text, by),
    listQueued: () => queue.findQueued('acquirers', MOST_ANSWERS),
    async writeAnswers(folder) {
      const queued = await queue.findQueued('acquirers', MOST_ANSWERS)
      for (const answer of queued) {
        await writeAnswer(folder, answer, async (fileId) => {
          const found = await reader.readFile(answer.disputeId, fileId, null)
          return found?.content ?? new Uint8Array()
        })
        await queue.markSent(answer.id, now())
      }
      if (queued.length > 0) {
        const details = { answers: queued.length }
        const operation = 'dispute.answers_written'
        await appendAudit(pool, [{ ...by, operation, object: '', result: 'done', details }])
      }
      return queued
    },
    ratios: (months) => readRatios(createRatioStore(pool), null, now(), months),
  }
}

/** One folder for each answer: `answer.json`, and the files by their place. */
async function writeAnswer(
  folder: string,
  answer: QueuedAnswer,
  readContent: (fileId: bigint) => Promise<Uint8Array>,
): Promise<void> {
  const path = join(folder, `answer-${answer.id}`)
  await mkdir(path, { recursive: true, mode: 0o700 })
  const files = []
  for (const [at, { bytes, id, name, sha256: hash, type }] of answer.files.entries()) {
    // The name comes from a merchant, so it is not used for a path.
    const file = `file-${at + 1}`
    await writeFile(join(path, file), await readContent(id), { mode: 0o600 })
    files.push({ file, name, type, bytes, sha256: hash })
  }
  const { account, caseId, id, text } = answer
  const record = { id: id.toString(), account, case: caseId, answer: answer.answer, text, files }
  await writeFile(join(path, 'answer.json'), `${JSON.stringify(record, null, 2)}\n`, {
    mode: 0o600,
  })
}
