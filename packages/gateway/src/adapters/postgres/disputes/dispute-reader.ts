import type pg from 'pg'
import {
  choosePair,
  takesCompellingEvidence,
  type CompellingPair,
} from '../../../domain/disputes/compelling-evidence.ts'
import { findReason } from '../../../domain/disputes/network-rules.ts'
import type {
  AnswerView,
  DisputeFilter,
  DisputeReader,
  DisputeTotal,
  DisputeView,
  WholeDispute,
} from '../../../usecases/disputes/dispute-views.ts'
import { readFiles, readLosses, readMovements, readNotices } from './dispute-parts.ts'
import {
  FOUND_DISPUTES,
  IN_ORDER,
  SELECT_DISPUTES,
  filterValues,
  viewOf,
  type DisputeRow,
} from './dispute-rows.ts'
import { readComparedSales } from './earlier-sales.ts'

/** The decryption of evidence, which the vault gives. */
export interface EvidenceOpening {
  openFile(
    sealed: { readonly content: Buffer; readonly key: Buffer },
    fileId: bigint,
  ): Promise<Buffer>
  openNote(ciphertext: Buffer, answerId: bigint): Promise<string>
}

/** Reads cases for operators and, within a merchant, for portal users. */
export function createDisputeReader(pool: pg.Pool, opening: EvidenceOpening): DisputeReader {
  return {
    async list(filter, { after, limit, order }, now) {
      const { rows } = await pool.query<DisputeRow>(
        `${SELECT_DISPUTES('$9')} where ${FOUND_DISPUTES} and ${IN_ORDER[order]} limit $12`,
        [...filterValues(filter), now, after?.id ?? null, after?.day ?? null, limit],
      )
      return rows.map(viewOf)
    },
    async accounts(merchantId) {
      const { rows } = await pool.query<{ id: string }>(
        `select distinct merchant_account_id as id from disputes where merchant_id = $1
          order by merchant_account_id`,
        [merchantId],
      )
      return rows.map((row) => BigInt(row.id))
    },
    total: (filter) => readTotals(pool, filter),
    async read(id, merchantId, now) {
      const { rows } = await pool.query<DisputeRow>(
        `${SELECT_DISPUTES('$1')} where d.id = $2 and ($3::bigint is null or d.merchant_id = $3)`,
        [now, id, merchantId],
      )
      const [row] = rows
      return row === undefined ? null : readWhole(pool, opening, viewOf(row))
    },
    async readFile(disputeId, fileId, merchantId) {
      const { rows } = await pool.query<{ content: Buffer | null; key: Buffer | null }>(
        `select f.content_ciphertext as content, f.key_ciphertext as key
           from dispute_files f
          where f.id = $1 and f.dispute_id = $2 and ($3::bigint is null or f.merchant_id = $3)`,
        [fileId, disputeId, merchantId],
      )
      const [row] = rows
      if (row === undefined || row.content === null || row.key === null) return null
      const file = (await readFiles(pool, disputeId)).find((each) => each.id === fileId)
      if (file === undefined) return null
      const content = await opening.openFile({ content: row.content, key: row.key }, fileId)
      return { file, content }
    },
  }
}

async function readTotals(pool: pg.Pool, filter: DisputeFilter): Promise<readonly DisputeTotal[]> {
  const { rows } = await pool.query<{ currency: string; count: string; minor: string }>(
    `select d.currency, count(*) as count, sum(d.amount_minor) as minor
       from disputes d where ${FOUND_DISPUTES} group by d.currency order by d.currency`,
    [...filterValues(filter)],
  )
  return rows.map(({ count, currency, minor }) => ({
    currency,
    count: Number(count),
    amountMinor: BigInt(minor),
  }))
}

async function readWhole(
  pool: pg.Pool,
  opening: EvidenceOpening,
  view: DisputeView,
): Promise<WholeDispute> {
  const openedOn = view.openedAt.toISOString().slice(0, 10)
  const [notices, movements, files, answers, lossMinor, compellingPair] = await Promise.all([
    readNotices(pool, view.id),
    readMovements(pool, view.id),
    readFiles(pool, view.id),
    readAnswers(pool, opening, view.id),
    readLosses(pool, view.id),
    readPair(pool, view),
  ])
  const evidenceHint = findReason(view.brand, view.reason, openedOn)?.evidence ?? null
  return {
    ...view,
    evidenceHint,
    notices,
    movements,
    files,
    answers,
    lossMinor,
    compellingPair,
  }
}

async function readPair(
  pool: pg.Pool,
  { brand, canAnswer, id, reason }: DisputeView,
): Promise<CompellingPair | null> {
  if (!canAnswer || !takesCompellingEvidence(brand, reason)) return null
  const sales = await readComparedSales(pool, id)
  return sales === null ? null : choosePair(sales.disputed, sales.earlier)
}

async function readAnswers(
  pool: pg.Pool,
  opening: EvidenceOpening,
  disputeId: bigint,
): Promise<readonly AnswerView[]> {
  const { rows } = await pool.query<{
    id: string
    answer: AnswerView['answer']
    state: AnswerView['state']
    text_ciphertext: Buffer | null
    made_by: string
    made_at: Date
    sent_at: Date | null
    acknowledged_at: Date | null
    refused_reason: string | null
  }>(
    `select id, answer, state, text_ciphertext, made_by, made_at, sent_at, acknowledged_at,
            refused_reason
       from dispute_answers where dispute_id = $1 order by id`,
    [disputeId],
  )
  return Promise.all(
    rows.map(async (row) => ({
      id: BigInt(row.id),
      answer: row.answer,
      state: row.state,
      text:
        row.text_ciphertext === null
          ? null
          : await opening.openNote(row.text_ciphertext, BigInt(row.id)),
      madeBy: row.made_by,
      madeAt: row.made_at,
      sentAt: row.sent_at,
      acknowledgedAt: row.acknowledged_at,
      refusedReason: row.refused_reason,
    })),
  )
}
