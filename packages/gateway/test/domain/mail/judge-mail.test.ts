import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import {
  isPermanent,
  judgeMail,
  MOST_ATTEMPTS,
  OLDEST_EVENT_MS,
} from '../../../src/domain/mail/judge-mail.ts'

const NOW = new Date('2026-11-27T12:00:00Z')
const FAILED = { kind: 'failed', answer: '451' } as const

suite('sending a mail', () => {
  test('an accepted attempt ends the mail as sent', () => {
    const judged = judgeMail(3, { kind: 'accepted', answer: '250' }, NOW, 0.5)
    assert.deepEqual(judged, { state: 'sent', attempts: 4 })
  })

  test('a caught attempt ends the mail in the sandbox', () => {
    assert.deepEqual(judgeMail(0, { kind: 'caught' }, NOW, 0.5), { state: 'caught', attempts: 1 })
  })

  test('a permanent refusal is not repeated', () => {
    const judged = judgeMail(0, { kind: 'refused', answer: '550' }, NOW, 0.5)
    assert.deepEqual(judged, { state: 'failed', attempts: 1 })
  })

  test('a failed attempt is repeated after pauses that grow, within three days', () => {
    const pauses: number[] = []
    for (let attempts = 0; ; attempts += 1) {
      const judged = judgeMail(attempts, FAILED, NOW, 0.5)
      assert.equal(judged.attempts, attempts + 1)
      if (judged.state !== 'waiting') {
        assert.equal(judged.state, 'failed')
        break
      }
      pauses.push((judged.dueAt.getTime() - NOW.getTime()) / 60_000)
    }
    assert.equal(pauses.length + 1, MOST_ATTEMPTS)
    assert.deepEqual(pauses, [1, 5, 15, 30, 60, 120, 240, 480, 720, 960, 1_080])
    const sum = pauses.reduce((left, right) => left + right) * 60_000
    assert.ok(sum * 1.15 < OLDEST_EVENT_MS)
  })

  test('a repeat is spread by 15 percent around its pause', () => {
    const at = (random: number): number => {
      const judged = judgeMail(0, FAILED, NOW, random)
      return judged.state === 'waiting' ? judged.dueAt.getTime() - NOW.getTime() : 0
    }
    assert.deepEqual([at(0), at(0.5), at(1)], [51_000, 60_000, 69_000])
  })
})

suite('a reply of the mail server', () => {
  test('that refuses the recipient or the content is permanent from 500 on', () => {
    for (const step of ['recipient', 'content'] as const) {
      assert.deepEqual(
        [450, 499, 500, 550, 599, 600].map((status) => isPermanent(step, status)),
        [false, false, true, true, true, false],
      )
    }
  })

  test('that refuses the connection or the sender concerns every mail, so that mails wait', () => {
    for (const step of ['connection', 'sender'] as const) {
      assert.equal(isPermanent(step, 550), false)
    }
  })

  test('that never came is not permanent', () => {
    assert.equal(isPermanent('content', null), false)
  })
})
