import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { claimFolder } from '../src/folder-claim.ts'
import { startOf, waitUntil } from '../src/running-process.ts'
import { StartupError } from '../src/startup-error.ts'
import { temporaryFolder } from './program.ts'

const CLAIM = 'running.pid'

suite('a claim on a folder', () => {
  test('a claim on a folder keeps others out until it is released', (t) => {
    const folder = temporaryFolder(t)
    const release = claimFolder(folder)
    assert.throws(() => claimFolder(folder), StartupError)
    release()
    assert.deepEqual(readdirSync(folder), [])
    claimFolder(folder)()
  })

  test('a claim on a folder of a process that is gone, or that only has its number, counts for nothing', (t) => {
    const folder = temporaryFolder(t)
    for (const stale of ['', 'nonsense', '999999999 1', `${process.pid} 1`, `${process.ppid} 1`]) {
      writeFileSync(join(folder, CLAIM), stale)
      const release = claimFolder(folder)
      assert.match(readFileSync(join(folder, CLAIM), 'utf8'), new RegExp(`^${process.pid} `))
      release()
    }
    assert.deepEqual(readdirSync(folder), [])
  })

  test('a claim on a folder of a dead process that its parent has not collected counts for nothing', async (t) => {
    if (process.platform !== 'linux') return t.skip('needs /proc')
    const folder = temporaryFolder(t)
    // A shell that leaves its dead child uncollected, as a container's first process may.
    const shell = spawn('/bin/sh', ['-c', 'sleep 60 & echo $!; exec sleep 61'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    t.after(() => shell.kill('SIGKILL'))
    const [said] = (await once(shell.stdout, 'data')) as [Buffer]
    const pid = Number(said.toString())
    assert.ok(
      await waitUntil(() => readFileSync(`/proc/${shell.pid}/comm`, 'utf8') === 'sleep\n', 10_000),
    )
    writeFileSync(join(folder, CLAIM), `${pid} ${startOf(pid)}\n`)
    assert.throws(() => claimFolder(folder), new RegExp(`in use by process ${pid}`))
    process.kill(pid, 'SIGKILL')
    assert.ok(await waitUntil(() => startOf(pid) === null, 10_000))
    assert.ok(existsSync(`/proc/${pid}`), 'the dead process should not have been collected')
    claimFolder(folder)()
  })
})
