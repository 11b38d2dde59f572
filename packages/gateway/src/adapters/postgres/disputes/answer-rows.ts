import type pg from 'pg'
import type { DisputeState } from '../../../domain/disputes/dispute-states.ts'
import type { AnswerTx, LockedDispute } from '../../../usecases/disputes/answer-dispute.ts'
import { recordDisputeFact } from './dispute-facts.ts'

/** The encryption of evidence, which the vault gives. */
export interface EvidenceSealing {
  sealFile(
    content: Uint8Array,
    fileId: bigint,
  ): Promise<{ readonly content: Buffer; readonly key: Buffer; readonly dataKeyId: number }>
  sealNote(
    text: string,
    answerId: bigint,
  ): Promise<{ readonly ciphertext: Buffer; readonly dataKeyId: number }>
}

const READ = `
select d.merchant_id, d.case_id, d.state, n.stage_n,
       exists (select from dispute_answers w
                where w.dispute_id = d.id and w.stage_n = n.stage_n and w.state <> 'refused')
         as is_answered,
       array(select f.id::text from dispute_files f
              where f.dispute_id = d.id and f.answer_id is null and f.erased_at is null
              order by f.id) as free_files,
       (select count(*) from dispute_files f where f.dispute_id = d.id) as kept_files,
       (select coalesce(sum(f.bytes), 0) from dispute_files f where f.dispute_id = d.id)
         as kept_bytes
  from disputes d
 cross join lateral (select max(x.n) as stage_n from dispute_notices x
                      where x.dispute_id = d.id) n
 where d.id = $1`

const ADD_FILE = `
insert into dispute_files
  (id, merchant_id, dispute_id, name, content_type, bytes, sha256, content_ciphertext,
   key_ciphertext, data_key_id, uploaded_by, uploaded_at)
overriding system value
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`

const ADD_ANSWER = `
insert into dispute_answers
  (id, merchant_id, dispute_id, answer, stage_n, text_ciphertext, text_data_key_id, made_by,
   made_at)
overriding system value
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

/** The verbs of an answer, on the connection of its transaction. */
export function answerTx(
  client: pg.ClientBase,
  sealing: EvidenceSealing,
  sha256: (content: Uint8Array) => string,
): AnswerTx {
  return {
    async lock(id, merchantId) {
      const { rowCount } = await client.query(
        `select from disputes
          where id = $1 and ($2::bigint is null or merchant_id = $2) for update`,
        [id, merchantId],
      )
      return rowCount === 1 ? readLocked(client, id) : null
    },
    async addFile(dispute, { at, by, content, name, type }) {
      const id = await nextId(client, 'dispute_files')
      const sealed = await sealing.sealFile(content, id)
      await client.query(ADD_FILE, [
        id,
        dispute.merchantId,
        dispute.id,
        name,
        type,
        content.length,
        sha256(content),
        sealed.content,
        sealed.key,
        sealed.dataKeyId,
        by,
        at,
      ])
      return id
    },
    async removeFile(id) {
      await client.query('delete from dispute_files where id = $1 and answer_id is null', [id])
    },
    async addAnswer(dispute, { answer, at, by, text }) {
      const id = await nextId(client, 'dispute_answers')
      const sealed = text === '' ? null : await sealing.sealNote(text, id)
      await client.query(ADD_ANSWER, [
        id,
        dispute.merchantId,
        dispute.id,
        answer,
        dispute.stageN,
        sealed?.ciphertext ?? null,
        sealed?.dataKeyId ?? null,
        by,
        at,
      ])
      if (answer === 'contest') {
        await client.query(
          'update dispute_files set answer_id = $1 where id = any ($2::bigint[])',
          [id, dispute.freeFiles],
        )
      }
      await recordDisputeFact(client, 'dispute.answered', dispute.id, { kind: answer, by })
      return id
    },
  }
}

async function nextId(client: pg.ClientBase, table: string): Promise<bigint> {
  const { rows } = await client.query<{ id: string }>(
    `select nextval(pg_get_serial_sequence($1, 'id')) as id`,
    [table],
  )
  return BigInt(rows[0]?.id ?? 0)
}

async function readLocked(client: pg.ClientBase, id: bigint): Promise<LockedDispute | null> {
  const { rows } = await client.query<{
    merchant_id: string
    case_id: string
    state: DisputeState
    stage_n: string
    is_answered: boolean
    free_files: readonly string[]
    kept_files: string
    kept_bytes: string
  }>(READ, [id])
  const [row] = rows
  if (row === undefined) return null
  return {
    id,
    merchantId: BigInt(row.merchant_id),
    caseId: row.case_id,
    state: row.state,
    stageN: BigInt(row.stage_n),
    isAnswered: row.is_answered,
    freeFiles: row.free_files.map(BigInt),
    keptFiles: Number(row.kept_files),
    keptBytes: Number(row.kept_bytes),
  }
}
