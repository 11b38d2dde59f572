import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { costOfGroup, groupFiles } from '../../tools/test-run/groups.ts'

const SMALL = { wallSeconds: 0.5, cpuSeconds: 0.4 }
const PLAIN = "import { test } from 'node:test'\ntest('a rule', (t) => t.after(() => undefined))"

function groupsOf(texts: Readonly<Record<string, string>>, measured = Object.keys(texts)) {
  const costs = new Map(measured.map((file) => [file, SMALL]))
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

  test('a file that was not measured, or computes for long, has a process to itself', () => {
    assert.deepEqual(groupsOf({ new: PLAIN, small: PLAIN, other: PLAIN }, ['small', 'other']), [
      ['new'],
      ['small', 'other'],
    ])
    const costs = new Map([['long', { wallSeconds: 9, cpuSeconds: 1.5 }]])
    const groups = groupFiles(['long', 'long'], costs, () => PLAIN)
    assert.deepEqual(groups, [['long'], ['long']])
  })

  for (const text of [
    'before(() => start())',
    'beforeEach(reset)',
    'after(async () => stop())',
    '  t.mock.timers.enable()',
    "import { spawn } from 'node:child_process'",
    "process.env['TZ'] = 'UTC'",
    "process.once('exit', stop)",
    'Object.assign(globalThis, {})',
    'fc.configureGlobal({ seed: 1 })',
  ]) {
    test(`a file has a process to itself that would share with others: ${text}`, () => {
      assert.deepEqual(groupsOf({ a: PLAIN, b: `${PLAIN}\n${text}`, c: PLAIN }), [
        ['b'],
        ['a', 'c'],
      ])
    })
  }

  test('a hook inside a suite concerns that suite alone', () => {
    assert.deepEqual(groupsOf({ a: PLAIN, b: "suite('s', () => {\n  before(start)\n})" }), [
      ['a', 'b'],
    ])
  })

  test('a group costs the sum of its files, and nothing known when one was not measured', () => {
    const costs = new Map([
      ['a', SMALL],
      ['b', SMALL],
    ])
    assert.deepEqual(costOfGroup(['a', 'b'], costs), { wallSeconds: 1, cpuSeconds: 0.8 })
    assert.equal(costOfGroup(['a', 'c'], costs), undefined)
  })
})
