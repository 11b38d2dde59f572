import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { hostname } from 'node:os'
import { suite, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createBundledBankMetrics, startBundledBank } from '../src/bundled-bank.ts'
import { createLog, type Log } from '../src/log.ts'
import {
  createDeathCount,
  createEndlessDeathCount,
  superviseProcess,
} from '../src/supervised-process.ts'
import { freePorts } from './free-ports.ts'

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

suite('an endless death count', () => {
  test('lets pauses grow up to a minute, and never has enough', () => {
    const deaths = createEndlessDeathCount(() => 0)
    const pauses = Array.from({ length: 14 }, () => deaths.next())
    assert.deepEqual(pauses.slice(0, 4), [100, 200, 400, 800])
    assert.deepEqual(pauses.slice(-5), [51_200, 60_000, 60_000, 60_000, 60_000])
  })

  test('begins again after ten minutes without a death', () => {
    let now = 0
    const deaths = createEndlessDeathCount(() => now)
    deaths.next()
    now += 599_999
    assert.equal(deaths.next(), 200)
    now += 600_000
    assert.equal(deaths.next(), 100)
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
      givesUp: 'always',
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
      givesUp: 'always',
      onGiveUp: (reason) => gaveUp.resolve(reason.message),
    })
    const sentence = 'Giving up on the stand-in: it was not ready within 0.05 seconds.'
    await assert.rejects(child.ready, { message: sentence })
    assert.equal(await gaveUp.promise, sentence)
    await child.stop(1_000)
  })
})

for (const [how, FIXTURE_BANK, expected] of [
  ['runs', '', ['1', '0']],
  ['has ended', 'crash', ['0', '1']],
] as const) {
  test(`a start in production continues with a bundled bank that ${how}, as its metrics show`, async (t) => {
    const [port] = await freePorts(1)
    const metrics = createBundledBankMetrics()
    const bank = startBundledBank({
      entry: fileURLToPath(new URL('fixtures/bank.ts', import.meta.url)),
      env: { BANK_PORT: String(port), FIXTURE_BANK },
      config: {
        bank: { host: '127.0.0.1', port: Number(port) },
        bankInstitutionId: '414000',
        bankSecret: null,
        bundledBank: 'on',
        dataDir: '.',
        mode: 'production',
      },
      log: remember(),
      metrics,
      onGiveUp: (reason) => assert.fail(reason.message),
    })
    t.after(() => bank.stop(5_000))
    await bank.mayContinue
    const text = await metrics.registry.metrics()
    const values = [...text.matchAll(/^tollgate_bundled_bank_\S+ (\d+)$/gm)].map(
      ([, value]) => value,
    )
    assert.deepEqual(values, expected)
  })
}

test("the supervisor's log has the levels and fields of all processes, and heeds LOG_LEVEL", () => {
  const written: string[] = []
  const log = createLog({ write: (text) => written.push(text) }, 'warn')
  log.info('starting')
  log.warn('careful')
  const [line = '{}', ...more] = written
  const { time, ...rest } = JSON.parse(line) as Record<string, unknown>
  const origin = { node: hostname(), pid: process.pid }
  assert.deepEqual(
    [typeof time, rest],
    ['number', { level: 40, name: 'supervisor', ...origin, msg: 'careful' }],
  )
  assert.deepEqual(more, [])
})
