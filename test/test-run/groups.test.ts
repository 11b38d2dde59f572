import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { costOfGroup, groupFiles } from '../../tools/test-run/groups.ts'

const SMALL = { wallSeconds: 0.5, cpuSeconds: 0.4 }
const PLAIN = "import { test } from 'node:test'\ntest('a rule', (t) => t.after(() => undefined))"

function groupsOf(texts: Readonly<Record<string, string>>) {
  const costs = new Map(Object.keys(texts).map((file) => [file, SMALL]))
  return groupFiles(Object.keys(texts), costs, (file) => texts[file] ?? '')
}

suite('groups of test files', () => {
  test('small files run together, 25 in a process, and each file once', () => {
    const names = Array.from({ length: 60 }, (_, at) => `file ${at}`)
    const groups = groupsOf(Object.fromEntries(names.map((name) => [name, PLAIN])))
    assert.deepEqual(
      groups.map((group) => group.length),
      [25, 25, 10],
    )
    assert.deepEqual(groups.flat(), names)
  })

  test('a process gets files of 40 measured seconds at most, and a new file counts as 2.5', () => {
    const each = { wallSeconds: 9, cpuSeconds: 10 }
    const names = ['a', 'b', 'c', 'd', 'new', 'f']
    const costs = new Map(names.filter((name) => name !== 'new').map((name) => [name, each]))
    const groups = groupFiles(names, costs, () => PLAIN)
    assert.deepEqual(groups, [
      ['a', 'b', 'c', 'd'],
      ['new', 'f'],
    ])
  })

  test('a file that computes for 12 seconds has a process to itself', () => {
    const costs = new Map([['long', { wallSeconds: 9, cpuSeconds: 12 }]])
    const groups = groupFiles(['a', 'long', 'b'], costs, () => PLAIN)
    assert.deepEqual(groups, [['a', 'b'], ['long']])
  })

  test('each file of the simulation with millions of promises has a process to itself', () => {
    const large = ['dispute-crashes', 'every-crash', 'simulation']
    const files = [...large, 'lost-answers', 'answers'].map((n) => `test/simulation/${n}.test.ts`)
    const groups = groupsOf(Object.fromEntries(files.map((file) => [file, PLAIN])))
    assert.deepEqual(
      groups.map((group) => group.length),
      [1, 1, 1, 2],
    )
  })

  for (const text of [
    '  t.mock.timers.enable()',
    "import { spawn } from 'node:child_process'",
    "process.env['TZ'] = 'UTC'",
    "delete process.env['TZ']",
    'Object.assign(process.env, settings)',
    "process.once('exit', stop)",
    'Object.assign(globalThis, {})',
    'fc.configureGlobal({ seed: 1 })',
  ]) {
    test(`a file has a process to itself that would share with others: ${text}`, () => {
      assert.deepEqual(groupsOf({ a: PLAIN, b: `${PLAIN}\n${text}`, c: PLAIN }), [
        ['a', 'c'],
        ['b'],
      ])
    })
  }

  for (const text of [
    'before(() => start())',
    "const depth = process.env['TOLLGATE_TEST_DEPTH']",
    'const role = `role_${process.pid}`',
  ]) {
    test(`a file runs with others that changes nothing of theirs: ${text}`, () => {
      assert.deepEqual(groupsOf({ a: PLAIN, b: `${PLAIN}\n${text}` }), [['a', 'b']])
    })
  }

  test('a group costs the sum of its files, where a new file counts as 2.5 seconds', () => {
    const costs = new Map([['a', SMALL]])
    assert.deepEqual(costOfGroup(['a', 'new'], costs), { wallSeconds: 5.5, cpuSeconds: 2.9 })
  })
})
