import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Log } from '../src/log.ts'
import { createDeathCount, superviseProcess } from '../src/supervised-process.ts'

const stubborn = fileURLToPath(new URL('fixtures/stubborn.ts', import.meta.url))

function remember(): Log & { readonly lines: string[] } {
  const lines: string[] = []
  const add = (line: string): void => void lines.push(line)
  return { lines, info: add, warn: add, error: add }
}

suite('a death count', () => {
  test('lets pauses grow and calls the fifth death within ten seconds enough', () => {
    let now = 0
    const deaths = createDeathCount(() => now)
    const pauses = [0, 1_000, 2_000, 3_000, 9_999].map((at) => {
      now = at
      return deaths.next()
    })
    assert.deepEqual(pauses, [100, 200, 400, 800, null])
  })

  test('forgets deaths that are ten seconds old', () => {
    let now = 0
    const deaths = createDeathCount(() => now)
    for (let death = 0; death < 20; death += 1) {
      assert.notEqual(deaths.next(), null)
      now += 2_500
    }
  })
})

suite('a supervised process', () => {
  test('that ignores a request to stop is ended at the deadline, and the log states it', async () => {
    const log = remember()
    const child = superviseProcess({
      name: 'the stand-in',
      spawn: () => fork(stubborn),
      log,
      readyDeadlineMs: 20_000,
      onGiveUp: (reason) => assert.fail(reason.message),
    })
    await child.ready
    await child.stop(50)
    assert.deepEqual(log.lines, ['the stand-in did not stop within 0.05 seconds; killing it'])
  })

  test('that never says it is ready is given up at the deadline', async () => {
    const gaveUp = Promise.withResolvers<string>()
    const child = superviseProcess({
      name: 'the stand-in',
      spawn: () => fork(stubborn, { execArgv: ['-e', 'setInterval(() => {}, 1000)'] }),
      log: remember(),
      readyDeadlineMs: 50,
      onGiveUp: (reason) => gaveUp.resolve(reason.message),
    })
    const sentence = 'Giving up on the stand-in: it was not ready within 0.05 seconds.'
    await assert.rejects(child.ready, { message: sentence })
    assert.equal(await gaveUp.promise, sentence)
    await child.stop(1_000)
  })
})
