import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const RUNNER = new URL('../../tools/test-run/run-files.ts', import.meta.url).href
const SCHEDULE = new URL('../../tools/test-run/schedule.ts', import.meta.url).href

test('a file whose process lives on after its tests is ended, and has failed', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-run-files-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'lives-on.test.mjs')
  writeFileSync(file, "import 'node:test'\nsetInterval(() => undefined, 1_000)\n")
  const program = join(folder, 'program.mjs')
  writeFileSync(
    program,
    `
    import { runFiles } from '${RUNNER}'
    import { createSchedule } from '${SCHEDULE}'
    const schedule = createSchedule([${JSON.stringify(file)}], new Map(), 1)
    const report = await runFiles(schedule, new AbortController().signal, () => [], 1_000)
    process.exitCode = report.hasFailed ? 3 : 0`,
  )
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env
  const ended = spawnSync(process.execPath, [program], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  })

  assert.equal(ended.status, 3, ended.stderr)
  assert.match(ended.stdout, /lives-on\.test\.mjs/)
})
