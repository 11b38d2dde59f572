import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { unknownSettings } from '../src/unknown-settings.ts'
import { runProgram, type Program } from './program.ts'

const cli = new URL('../src/cli.ts', import.meta.url)

async function call(args: readonly string[], env: Record<string, string> = {}): Promise<Program> {
  const program = runProgram(cli, { args, env })
  await program.end()
  return program
}

suite('the command line', () => {
  test('the command line prints the settings in force without a secret', async () => {
    const env = { DATABASE_URL: 'postgresql://someone:pa55word@db.example/tollgate', PORT: '9000' }
    const program = await call(['config'], env)
    assert.equal(await program.end(), 0)
    assert.match(program.output(), /^PORT +9000$/m)
    assert.match(
      program.output(),
      /^DATABASE_URL +postgresql:\/\/someone:\*\*\*@db\.example\/tollgate$/m,
    )
    assert.doesNotMatch(program.output(), /pa55word/)
  })

  test('the command line names a setting that is misspelt, with the nearest name', async () => {
    const program = await call(['config'], { METRIC_PORT: '9100', TLS_CRT: 'x', NODE: 'npm' })
    assert.equal(await program.end(), 0)
    const warned = program.output().match(/^Warning: .*$/gm)
    assert.deepEqual(warned, [
      'Warning: METRIC_PORT is no setting of Tollgate. Did you mean METRICS_PORT?',
      'Warning: TLS_CRT is no setting of Tollgate. Did you mean TLS_CERT?',
    ])
  })

  test('the command line names each unknown line of .env, and no other variable of the environment', () => {
    assert.deepEqual(unknownSettings(['PORT', 'COLOUR', 'WORKER'], ['HOME', 'NODE', 'WORKER']), [
      'COLOUR in .env is no setting of Tollgate.',
      'WORKER in .env is no setting of Tollgate. Did you mean WORKERS?',
    ])
    assert.deepEqual(unknownSettings([], ['BANK_PROFILE', 'TOLLGATE_RUN_JOBS']), [])
  })

  test('the command line refuses a bad setting before it prints any', async () => {
    const program = await call(['config'], { PORT: '99999' })
    assert.equal(await program.end(), 1)
    assert.match(program.output(), /^PORT is "99999", but must be a port number.*\.\n$/)
  })

  test('an invalid setting leaves the books unchecked, which is not a difference', async () => {
    for (const command of ['verify', 'recon']) {
      assert.equal(await (await call([command], { PORT: '99999' })).end(), 2)
    }
  })

  test('the command line names a command that it does not know', async () => {
    const program = await call(['strat'])
    assert.equal(await program.end(), 1)
    assert.match(program.output(), /Unknown command "strat"; "tollgate help" lists/)
  })

  test('lists its commands and prints its version', async () => {
    assert.match(
      (await call(['help'])).output(),
      /start +start the database.*\n +config .*\n +doctor .*\n +verify .*\n +recon /,
    )
    assert.match((await call(['--version'])).output(), /^tollgate \d+\.\d+\.\d+\n$/)
  })
})
