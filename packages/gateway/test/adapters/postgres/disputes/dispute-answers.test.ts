import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import type pg from 'pg'
import { createAnswerQueue } from '../../../../src/adapters/postgres/disputes/answer-queue.ts'
import {
  sendAnswers,
  type AnswerQueue,
  type SendAnswersDeps,
} from '../../../../src/usecases/disputes/send-answers.ts'
import { createDisputeOperator } from '../../../../src/wiring/operator-disputes.ts'
import { startTestServer, type TestServer } from '../../../support/database.ts'
import { BY, openDisputeBooks, RECEIVED, reversing, type DisputeBooks } from './dispute-books.ts'

/** The queue of a live account, handed to the job that serves test accounts. */
function queueOf(pool: pg.Pool): AnswerQueue {
  const queue = createAnswerQueue(pool, reversing.openNote)
  return { ...queue, findQueued: (_, limit) => queue.findQueued('acquirers', limit) }
}

suite('the answers to disputes', () => {
  let server: TestServer
  let books: DisputeBooks
  let folder = ''
  before(async () => {
    server = await startTestServer()
    folder = mkdtempSync(join(tmpdir(), 'tollgate-answers-'))
  })
  beforeEach(async () => {
    books = await openDisputeBooks(await server.createDatabase(), 'live')
    const { id } = await books.order([{ kind: 'sale', minor: 12000 }])
    await books.notices([{ order: `${id}`, network_due: '2026-12-20' }])
    const content = new TextEncoder().encode('tracking number 17')
    assert.ok((await books.answers.addFile(1n, { name: 'proof.txt', content }, BY)).ok)
    assert.ok((await books.answers.contest(1n, 'It was delivered.', BY)).ok)
  })
  afterEach(() => books?.close())
  after(async () => {
    rmSync(folder, { recursive: true, force: true })
    await server?.stop()
  })

  const states = () => books.rows('select state, refused_reason from dispute_answers order by id')

  test('are written for the acquirer of a live account with their files, once', async () => {
    const { pool } = books.database
    const operator = createDisputeOperator(pool, BY.actor, () => Promise.resolve(reversing))
    assert.equal((await operator.listQueued()).length, 1)
    const [written] = await operator.writeAnswers(folder)
    assert.equal(written?.caseId, 'C-1')
    const path = join(folder, 'answer-1')
    assert.deepEqual(readdirSync(path), ['answer.json', 'file-1'])
    assert.equal(readFileSync(join(path, 'file-1'), 'utf8'), 'tracking number 17')
    const record = JSON.parse(readFileSync(join(path, 'answer.json'), 'utf8'))
    assert.equal(record.text, 'It was delivered.')
    assert.equal(record.files[0].name, 'proof.txt')
    assert.deepEqual(await operator.writeAnswers(folder), [])
    assert.deepEqual(await states(), ['sent -'])
    const audited = `select count(*) from audit_entries where operation = 'dispute.answers_written'`
    assert.deepEqual(await books.rows(audited), ['1'])
  })

  test('are sent again under the same id after a process died behind the answer of the bank', async () => {
    const { pool } = books.database
    const taken: bigint[] = []
    const queue = queueOf(pool)
    const deps: SendAnswersDeps = {
      queue,
      clock: { now: () => RECEIVED },
      send(answer) {
        taken.push(answer.id)
        return Promise.resolve({ kind: 'taken' })
      },
      onRefused: () => undefined,
    }
    const dies = { ...queue, markSent: () => Promise.reject(new Error('the process died')) }
    await assert.rejects(sendAnswers({ ...deps, queue: dies }), /the process died/)
    assert.deepEqual(await states(), ['queued -'])
    await sendAnswers(deps)
    await sendAnswers(deps)
    assert.deepEqual(taken, [1n, 1n])
    assert.deepEqual(await states(), ['sent -'])
  })

  test('show the reason of the bank that refuses them, and the stage can be answered again', async () => {
    const { pool } = books.database
    const refused: string[] = []
    await sendAnswers({
      queue: queueOf(pool),
      clock: { now: () => RECEIVED },
      send: () => Promise.resolve({ kind: 'refused', reason: 'The case is over.' }),
      onRefused: (_, reason) => void refused.push(reason),
    })
    assert.deepEqual(refused, ['The case is over.'])
    assert.deepEqual(await states(), ['refused The case is over.'])
    assert.ok((await books.answers.accept(1n, BY)).ok)
    assert.deepEqual(await books.broken(), [])
  })
})
