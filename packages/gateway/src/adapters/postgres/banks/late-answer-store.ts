import type pg from 'pg'
import type { LateAnswer } from '../../../usecases/banks/late-answer.ts'

/**
 * Keeps late answers beside the payments. They change no state: when a late approval comes, the
 * merchant has got FAILED and the reversal is queued.
 */
export async function keepLateAnswer(pool: pg.Pool, answer: LateAnswer, at: Date): Promise<void> {
  await pool.query(
    `insert into late_answers (message_number, mti, response_code, auth_code, received_at)
     values ($1, $2, $3, $4, $5)`,
    [answer.messageNumber, answer.mti, answer.responseCode, answer.authCode, at],
  )
}
