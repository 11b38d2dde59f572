import type pg from 'pg'
import type { DisputeState } from '../../../domain/disputes/dispute-states.ts'
import type { EvidenceType } from '../../../domain/disputes/evidence.ts'
import type { DisputeEvent } from '../../../domain/disputes/notice.ts'
import type {
  DisputeMovementView,
  DisputeNoticeView,
  EvidenceFileView,
  WholeDispute,
} from '../../../usecases/disputes/dispute-views.ts'

/** The history of a case, in sequence. */
export async function readNotices(
  pool: pg.Pool,
  disputeId: bigint,
): Promise<readonly DisputeNoticeView[]> {
  const { rows } = await pool.query<{
    n: string
    event: DisputeEvent
    happened_at: Date
    amount_minor: string
    currency: string
    reason: string | null
    network_due: string | null
    answer_id: string | null
    state_after: DisputeState
  }>(
    `select n, event, happened_at, amount_minor, currency, reason, network_due::text, answer_id,
            state_after
       from dispute_notices where dispute_id = $1 order by n`,
    [disputeId],
  )
  return rows.map((row) => ({
    n: BigInt(row.n),
    event: row.event,
    at: row.happened_at,
    amountMinor: BigInt(row.amount_minor),
    currency: row.currency,
    reason: row.reason,
    networkDue: row.network_due,
    answerId: row.answer_id === null ? null : BigInt(row.answer_id),
    state: row.state_after,
  }))
}

/** The money that lines of settlement files moved for a case. */
export async function readMovements(
  pool: pg.Pool,
  disputeId: bigint,
): Promise<readonly DisputeMovementView[]> {
  const { rows } = await pool.query<{
    file_id: string
    n: number
    kind: DisputeMovementView['kind']
    taken_minor: string
    fee_minor: string
    currency: string
    value_date: string
  }>(
    `select m.file_id, m.n, m.kind, m.taken_minor, m.fee_minor, m.currency, l.value_date::text
       from dispute_movements m
       join settlement_lines l on l.file_id = m.file_id and l.n = m.n
      where m.dispute_id = $1 order by m.linked_at, m.file_id, m.n`,
    [disputeId],
  )
  return rows.map((row) => ({
    fileId: BigInt(row.file_id),
    line: row.n,
    kind: row.kind,
    takenMinor: BigInt(row.taken_minor),
    feeMinor: BigInt(row.fee_minor),
    currency: row.currency,
    valueDate: row.value_date,
  }))
}

/** The files of evidence of a case, without their content. */
export async function readFiles(
  pool: pg.Pool,
  disputeId: bigint,
): Promise<readonly EvidenceFileView[]> {
  const { rows } = await pool.query<{
    id: string
    name: string
    content_type: EvidenceType
    bytes: number
    sha256: string
    uploaded_by: string
    uploaded_at: Date
    answer_id: string | null
    erased_at: Date | null
  }>(
    `select id, name, content_type, bytes, sha256, uploaded_by, uploaded_at, answer_id, erased_at
       from dispute_files where dispute_id = $1 order by id`,
    [disputeId],
  )
  return rows.map((row) => ({
    id: BigInt(row.id),
    name: row.name,
    type: row.content_type,
    bytes: row.bytes,
    sha256: row.sha256,
    uploadedBy: row.uploaded_by,
    uploadedAt: row.uploaded_at,
    answerId: row.answer_id === null ? null : BigInt(row.answer_id),
    isErased: row.erased_at !== null,
  }))
}

/** The posted loss, or rapid refund, of a case, by currency. */
export async function readLosses(
  pool: pg.Pool,
  disputeId: bigint,
): Promise<WholeDispute['lossMinor']> {
  const { rows } = await pool.query<{ currency: string; minor: string }>(
    `select p.currency, sum(k.sign * p.amount_minor) as minor
       from dispute_postings p join dispute_posting_kinds k using (kind)
      where p.dispute_id = $1 group by p.currency order by p.currency`,
    [disputeId],
  )
  return rows.map(({ currency, minor }) => ({ currency, minor: BigInt(minor) }))
}
