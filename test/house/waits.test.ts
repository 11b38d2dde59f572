import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { filesUnder, read } from './source-text.ts'
import { awaitingLoops, WORKING_LOOPS } from './waits.ts'

const files = [
  ...filesUnder('test', '.ts'),
  ...filesUnder('packages', '.ts').filter((file) => file.includes('/test/')),
]

suite('the waits of tests', () => {
  test('every test waits with an end and a sentence, by test/support/eventually.ts', () => {
    assert.ok(files.length > 300, 'the walk found no tests')
    const bare = files
      .filter((file) => WORKING_LOOPS[file] === undefined)
      .flatMap((file) => awaitingLoops(read(file)).map((loop) => `${file}: ${loop}`))
    assert.deepEqual(bare, [])
  })

  test('every file that is listed with a loop that works still has one', () => {
    const idle = Object.keys(WORKING_LOOPS).filter(
      (file) => !files.includes(file) || awaitingLoops(read(file)).length === 0,
    )
    assert.deepEqual(idle, [])
  })

  for (const loop of [
    'while (!isThere()) await pause(10)',
    'for (;;) {\n  if (await isThere()) return\n}',
    'while (!(await isThere()));',
    'for (let tries = 0; ; tries += 1) {\n  await ask()\n}',
    'do {\n  await pause(10)\n} while (!isThere())',
    'while (\n  a &&\n  (await b())\n);',
  ]) {
    test(`a bare loop is found: ${loop.split('\n').join(' ')}`, () => {
      assert.equal(awaitingLoops(`first()\n${loop}\nlast()\n`).length, 1)
    })
  }

  test('loops that await nothing, or that end by themselves, are let through', () => {
    const code = `
      // while (!isThere()) await pause(10)
      while (at > 0) at -= 1
      await after()
      for (const each of all) await each()
      for (let n = 0; n < 3; n += 1) {
        await ask()
      }
      for (;;) {
        if (step()) break
      }
      await end()
    `
    assert.deepEqual(awaitingLoops(code), [])
  })
})
