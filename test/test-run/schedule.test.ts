import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { createSchedule, type Cost } from '../../tools/test-run/schedule.ts'

const COSTS = new Map<string, Cost>([
  ['short', { wallSeconds: 1, cpuSeconds: 0.9 }],
  ['waits', { wallSeconds: 60, cpuSeconds: 3 }],
  ['works', { wallSeconds: 40, cpuSeconds: 36 }],
  ['works too', { wallSeconds: 30, cpuSeconds: 25 }],
  ['works as well', { wallSeconds: 20, cpuSeconds: 19 }],
])

function startedAtOnce(files: readonly string[], cores: number): string[] {
  const schedule = createSchedule(files, COSTS, cores)
  const running: string[] = []
  for (let next = schedule.next(running); next !== null; next = schedule.next(running)) {
    running.push(next)
  }
  return running
}

suite('the sequence of test files', () => {
  test('the sequence of test files begins with what takes longest', () => {
    assert.equal(createSchedule([...COSTS.keys()], COSTS, 2).next([]), 'waits')
  })

  test('the sequence of test files runs no more working files at once than there are cores, and waiting ones beside them', () => {
    assert.deepEqual(startedAtOnce([...COSTS.keys()], 2), ['waits', 'works', 'works too'])
    assert.deepEqual(startedAtOnce([...COSTS.keys()], 1), ['waits', 'works'])
  })

  test('the sequence of test files runs no more waiting files beside each other than the machine has room for', () => {
    const many = Array.from({ length: 20 }, (_, at) => `waits ${at}`)
    const costs = new Map(many.map((file) => [file, { wallSeconds: 60, cpuSeconds: 0 }]))
    const schedule = createSchedule(many, costs, 2)
    const running: string[] = []
    for (let next = schedule.next(running); next !== null; next = schedule.next(running)) {
      running.push(next)
    }
    assert.equal(running.length, 4)
  })

  test('the sequence of test files starts no file that asks for more than a tenth beyond what the cores have', () => {
    const costs = new Map(
      ['first', 'second', 'third', 'fourth', 'fifth'].map((file) => [
        file,
        { wallSeconds: 10, cpuSeconds: 5.5 },
      ]),
    )
    const schedule = createSchedule([...costs.keys()], costs, 2)
    const running: string[] = []
    for (let next = schedule.next(running); next !== null; next = schedule.next(running)) {
      running.push(next)
    }
    assert.deepEqual(running, ['first', 'second', 'third', 'fourth'])
  })

  test('the sequence of test files gives cores that are idle more than the costs allow, and no more than cores of working files', () => {
    const files = Array.from({ length: 12 }, (_, at) => `half ${at}`)
    const costs = new Map(files.map((file) => [file, { wallSeconds: 10, cpuSeconds: 5.5 }]))
    const schedule = createSchedule(
      [...files, 'works', 'works too'],
      new Map([...COSTS, ...costs]),
      2,
    )
    const running = ['half 0', 'half 1', 'half 2', 'half 3']
    assert.equal(schedule.next(running), null)
    assert.equal(schedule.next(running, 0.2), null)
    assert.equal(schedule.next(running, 0.4), 'works')
    assert.equal(schedule.next([...running, 'works'], 0.4), 'works too')
    assert.equal(schedule.next([...running, 'works', 'works too'], 2), 'half 0')
    const most = [...running, 'works', 'works too', 'half 4', 'half 5', 'half 6', 'half 7']
    assert.equal(schedule.next(most.slice(0, 9), 2), 'half 1')
    assert.equal(schedule.next(most, 2), null)
    const works = new Map(files.map((file) => [file, { wallSeconds: 10, cpuSeconds: 9 }]))
    assert.equal(createSchedule(files, works, 2).next(['half 8', 'half 9'], 1), null)
  })

  test('the sequence of test files gives every file once, also one that was never measured and one that asks for everything', () => {
    const files = [...COSTS.keys(), 'new', 'greedy']
    const costs = new Map([...COSTS, ['greedy', { wallSeconds: 10, cpuSeconds: 90 }]])
    const schedule = createSchedule(files, costs, 2)
    const given: string[] = []
    for (let next = schedule.next([]); next !== null; next = schedule.next([])) given.push(next)
    assert.deepEqual(given.toSorted(), files.toSorted())
    assert.equal(schedule.left, 0)
  })
})
