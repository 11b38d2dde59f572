import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { profilesOf } from './browser-profile.ts'
import { card, knownMarks, withCheckDigit, type Mark } from './marks.ts'
import { payment } from './path.ts'
import { PLACES } from './places/index.ts'
import { readProcesses } from './processes.ts'
import { startProgramRun, type ProgramRun } from './program-run.ts'
import { createScanner } from './scanner.ts'
import { search } from './search.ts'

/** A number for each leak, so that none can stand for another. */
const number = (drawn: string): string => withCheckDigit(`411111${drawn}`)
const PLANTED = {
  row: number('501928374'),
  packed: number('612839475'),
  deleted: number('723940516'),
  fileName: number('834051627'),
  temporaryFile: number('945162738'),
  metric: number('156273849'),
  commandLine: number('267384951'),
  environment: number('378495162'),
  answer: number('489516273'),
  exported: number('591627384'),
  newIds: number('602738495'),
  formData: number('713849506'),
  span: number('824950617'),
  pushed: number('824950617'),
} as const
const MARKS: readonly Mark[] = [
  ...knownMarks(),
  ...Object.entries(PLANTED).map(([name, digits]) => ({ kind: 'card' as const, name, digits })),
]

suite('a leak that was planted is found', () => {
  let run: ProgramRun
  let found: readonly string[]
  before(async () => {
    run = await startProgramRun('card_data_stays_inside')
    await run.send(payment(card('planted')))
    await plantInDatabase(run)
    const stopMetrics = await plantInMetrics()
    const child = spawn('sleep', ['300', PLANTED.commandLine], {
      env: { ...process.env, X: PLANTED.environment },
    })
    await once(child, 'spawn')
    const scanner = createScanner(MARKS)
    const leaking: ProgramRun = {
      ...run,
      metricsUrl: stopMetrics.url,
      evidence: [{ name: 'an answer', bytes: Buffer.from(`{"number":"${PLANTED.answer}"}`) }],
      spans: () => [`{"name":"pay","attributes":["${PLANTED.span}"]}`],
      pushed: () => Buffer.from(`{"reason":"${PLANTED.pushed}"}`),
      processes: () => readProcesses([child.pid ?? 0]),
    }
    const first = await search(
      leaking,
      scanner,
      PLACES.filter(({ when }) => when === 'running'),
    )
    child.kill('SIGKILL')
    stopMetrics.stop()
    plantInFiles(run)
    await run.stop()
    const then = await search(
      leaking,
      scanner,
      PLACES.filter(({ when }) => when === 'stopped'),
    )
    found = [...first.leaks, ...then.leaks]
  })
  after(() => run?.remove())

  for (const [what, pattern] of Object.entries({
    'in the log of a gateway that spills its card numbers':
      /^output and logs of all processes: the card of "planted", base64, in the output of the program/,
    'in an exported span': /^exported spans: span, plain, in exported spans at/,
    'in a row of a table': /^rows of the database: row, plain, in the table public\.products/,
    'in the file of a table': /^files: .*: row, plain, in \S+\/base\/\d+\/\d+ at/,
    'as packed digits, in the file of a table':
      /^files: .*: packed, packed, in \S+\/base\/\d+\/\d+ at/,
    'in a row that was deleted again': /^files: .*: deleted, plain, in \S+\/pg_wal\/\w+ at/,
    'in the name of a file': /^files: .*: fileName, plain, in the name of \S+/,
    'in a temporary file':
      /^files: .*: temporaryFile, UTF-16 \(little-endian\), in \S+\/tmp\/\S+ at/,
    'in the file of an export': /^files that commands write: exported, plain, in \S+cards\.tgv at/,
    'in the list of new ids of an import':
      /^files that commands write: newIds, plain, in \S+\.ids\.csv at/,
    'in what a browser keeps of a form':
      /^profiles of browsers: formData, broken up, in \S+Session_1 at/,
    'in a label of a metric': /^metrics: metric, plain, in the metrics/,
    'in a command line': /^command lines .*: commandLine, plain, in the command line of process/,
    'in an environment': /^command lines .*: environment, plain, in the environment of process/,
    'in what the receiver of the audit log got':
      /^the receiver of the audit log: pushed, plain, in messages of syslog at/,
    'in an answer': /^answers .*: answer, plain, in an answer/,
  })) {
    test(what, () =>
      assert.ok(
        found.some((leak) => pattern.test(leak)),
        found.join('\n'),
      ),
    )
  }

  test('in a row that was deleted again, and there in the write-ahead log only', () => {
    const where = found.filter((leak) => / deleted, /.test(leak))
    assert.deepEqual(
      where.filter((leak) => !leak.includes('/pg_wal/')),
      [],
    )
  })

  test('and nothing else is', () => {
    const planted = ['the card of "planted"', ...Object.keys(PLANTED)]
    const others = found.filter((leak) => !planted.some((name) => leak.includes(`: ${name}, `)))
    assert.deepEqual(others, [])
  })
})

async function plantInDatabase(run: ProgramRun): Promise<void> {
  await run.query('insert into products (site_id, code) values (1001, $1)', [PLANTED.row])
  const bytes = Buffer.from(PLANTED.packed, 'hex')
  await run.query('create table planted_packed (digits bytea)')
  await run.query('insert into planted_packed values ($1)', [bytes])
  await run.query('create table planted (text text)')
  await run.query('insert into planted values ($1)', [PLANTED.deleted])
  await run.query('drop table planted')
}

async function plantInMetrics(): Promise<{ url: string; stop(): void }> {
  const server = createServer(
    (_, response) => void response.end(`payments{card="${PLANTED.metric}"} 1\n`),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/metrics`, stop: () => void server.close() }
}

function plantInFiles(run: ProgramRun): void {
  mkdirSync(join(run.dataDir, 'bank', `card-${PLANTED.fileName}`))
  const text = Buffer.from(PLANTED.temporaryFile, 'utf16le')
  writeFileSync(join(run.folder, 'tmp', 'heap.snapshot'), text)
  writeFileSync(run.fileToWrite('cards.tgv'), `TGVAULT1{"number":"${PLANTED.exported}"}`)
  writeFileSync(run.fileToWrite('cards.tgv.ids.csv'), `payment method,1,${PLANTED.newIds},7\n`)
  const sessions = join(profilesOf(run), 'planted', 'Sessions')
  mkdirSync(sessions, { recursive: true })
  // As Chromium keeps what stands in a field.
  writeFileSync(
    join(sessions, 'Session_1'),
    Buffer.from(PLANTED.formData.replace(/(.{4})/g, '$1 '), 'utf16le'),
  )
}
