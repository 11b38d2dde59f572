import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { readKeyMarks } from './key-marks.ts'
import { card, knownMarks, truncated, type Mark } from './marks.ts'
import { payment } from './path.ts'
import { consoleMarks } from './paths/console.ts'
import { PATHS } from './paths/index.ts'
import { portalMarks } from './paths/portal.ts'
import { PLACES } from './places/index.ts'
import { startProgramRun, type ProgramRun } from './program-run.ts'
import { createScanner, type Scanner } from './scanner.ts'
import { search } from './search.ts'

suite('marked card numbers, codes, passwords and keys', () => {
  let run: ProgramRun
  let keysAtFirst: Mark[]
  let scanner: Scanner
  const seen = new Set<string>()
  before(async () => {
    // With a fault to be provoked by one amount; everything else is as in any sandbox.
    run = await startProgramRun('faults_are_caught')
    keysAtFirst = await readKeyMarks(run.dataDir, run.databaseUrl())
  })
  after(() => run?.remove())

  for (const path of PATHS) {
    test(`marked card numbers, codes, passwords and keys are pushed through: ${path.name}`, async () => {
      await path.push(run)
    })
  }

  test('marked card numbers, codes, passwords and keys are known with every key that was ever in use', async () => {
    const keys = new Map(
      [...keysAtFirst, ...(await readKeyMarks(run.dataDir, run.databaseUrl()))].map((key) => [
        key.name,
        key,
      ]),
    )
    // The one of the vault, that of fingerprints, two of card numbers, one of them destroyed, and
    // one that signs.
    assert.equal(keys.size, 5)
    const generated = [...portalMarks(), ...consoleMarks()]
    scanner = createScanner([...knownMarks(), ...generated, ...keys.values()])
  })

  test('marked card numbers, codes, passwords and keys have reached the program: each card is in the request log, cut down', async () => {
    const rows = await run.query<{ parameters: string }>(
      'select parameters::text as parameters from requests',
    )
    for (const { parameters } of rows) {
      for (const [found] of parameters.matchAll(/\d{6}\*{6}\d{4}/g)) seen.add(found)
    }
    const expected = PATHS.flatMap((path) => path.seen.map((name) => truncated(card(name))))
    assert.deepEqual(
      expected.filter((each) => !seen.has(each)),
      [],
    )
  })

  test('marked card numbers, codes, passwords and keys are in no row, no metric and no list of processes of the running program', async (t) => {
    await run.query('analyze')
    const { leaks, bytes } = await search(
      run,
      scanner,
      PLACES.filter(({ when }) => when === 'running'),
    )
    assert.deepEqual(leaks, [])
    for (const [place, count] of bytes) t.diagnostic(`${place}: ${count} bytes`)
    assert.equal(bytes.size, PLACES.filter(({ when }) => when === 'running').length)
  })

  test('are in no process that was started so that it writes down its memory or lets others look into it', () => {
    const writes =
      /--(report|heapsnapshot|heap-prof|cpu-prof|inspect|abort-on-uncaught|diagnostic-dir)/
    const processes = run.processes()
    assert.ok(processes.length > 3)
    const found = processes.filter(({ commandLine, environment }) =>
      writes.test(commandLine + environment),
    )
    assert.deepEqual(
      found.map(({ commandLine }) => commandLine),
      [],
    )
  })

  test('marked card numbers, codes, passwords and keys are in no output, no answer and no file when it has stopped', async (t) => {
    const last = run.send(payment(card('stop'), '9100.05'))
    const code = await run.stop()
    await last
    assert.equal(code, 0)
    assert.match(run.output(), /"auditHead":"\d+:[0-9a-f]{64}"/)

    const { leaks, bytes } = await search(
      run,
      scanner,
      PLACES.filter(({ when }) => when === 'stopped'),
    )
    assert.deepEqual(leaks, [])
    for (const [place, count] of bytes) t.diagnostic(`${place}: ${count} bytes`)
    assert.equal(bytes.size, PLACES.filter(({ when }) => when === 'stopped').length)
  })
})
