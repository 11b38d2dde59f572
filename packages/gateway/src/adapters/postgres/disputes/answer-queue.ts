import type pg from 'pg'
import type { AnswerQueue, QueuedAnswer } from '../../../usecases/disputes/send-answers.ts'

const QUEUED = `
select w.id, w.dispute_id, d.merchant_account_id, f.account, d.case_id, w.answer,
       w.text_ciphertext,
       coalesce((select json_agg(json_build_object('id', e.id::text, 'name', e.name,
                          'type', e.content_type, 'sha256', e.sha256, 'bytes', e.bytes)
                          order by e.id)
                   from dispute_files e where e.answer_id = w.id), '[]') as files
  from dispute_answers w
  join disputes d on d.id = w.dispute_id
  join dispute_feeds f on f.id = d.feed_id
  join merchant_accounts a on a.id = d.merchant_account_id
 where w.state = 'queued' and (a.mode = 'test' and a.processor_link_id is null) = $1
 order by w.id limit $2`

const REASON_CHARACTERS = 500

/** @param openNote decrypts the text of an answer */
export function createAnswerQueue(
  pool: pg.Pool,
  openNote: (ciphertext: Buffer, answerId: bigint) => Promise<string>,
): AnswerQueue {
  return {
    async findQueued(of, limit) {
      const { rows } = await pool.query<{
        id: string
        dispute_id: string
        merchant_account_id: string
        account: string
        case_id: string
        answer: 'accept' | 'contest'
        text_ciphertext: Buffer | null
        files: readonly {
          readonly id: string
          readonly name: string
          readonly type: string
          readonly sha256: string
          readonly bytes: number
        }[]
      }>(QUEUED, [of === 'bundled_bank', limit])
      const answers: QueuedAnswer[] = []
      for (const row of rows) {
        const id = BigInt(row.id)
        answers.push({
          id,
          disputeId: BigInt(row.dispute_id),
          merchantAccountId: BigInt(row.merchant_account_id),
          account: row.account,
          caseId: row.case_id,
          answer: row.answer,
          text: row.text_ciphertext === null ? '' : await openNote(row.text_ciphertext, id),
          files: row.files.map((file) => ({ ...file, id: BigInt(file.id) })),
        })
      }
      return answers
    },
    async markSent(id, at) {
      await pool.query(
        `update dispute_answers set state = 'sent', sent_at = $2
          where id = $1 and state = 'queued'`,
        [id, at],
      )
    },
    async markRefused(id, reason) {
      await pool.query(
        `update dispute_answers set state = 'refused', refused_reason = $2
          where id = $1 and state = 'queued'`,
        [id, reason.slice(0, REASON_CHARACTERS)],
      )
    },
  }
}
