import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCpuCount, type SeenProcess } from '../../tools/test-run/watch-cpu.ts'

const RUNNER = 100
const FILES = new Map([
  [200, 'a.test.ts'],
  [300, 'b.test.ts'],
])

function countOf(...samples: (readonly SeenProcess[])[]): Record<string, number> {
  const count = createCpuCount(RUNNER, (pid) => FILES.get(pid) ?? null)
  for (const sample of samples) count.add(sample)
  return Object.fromEntries(count.seconds())
}

function seen(pid: number, parent: number, cpuSeconds: number, startedAt = pid): SeenProcess {
  return { pid, parent, startedAt, cpuSeconds }
}

test('a file has computed what its process and the processes below it have', () => {
  const processes = [
    seen(RUNNER, 1, 50),
    seen(200, RUNNER, 1),
    seen(201, 200, 2),
    seen(202, 201, 4),
    seen(300, RUNNER, 8),
    seen(400, RUNNER, 16),
    seen(500, 1, 32),
  ]
  assert.deepEqual(countOf(processes), { 'a.test.ts': 7, 'b.test.ts': 8 })
})

test('a process that outlives its parent still counts for the file that started it', () => {
  const begun = [seen(200, RUNNER, 1), seen(201, 200, 1), seen(202, 201, 1)]
  assert.deepEqual(countOf(begun, [seen(200, RUNNER, 2), seen(202, 1, 5)]), { 'a.test.ts': 8 })
  assert.deepEqual(countOf(begun, [seen(202, 1, 6)], []), { 'a.test.ts': 8 })
})

test('another process that got the pid of an ended one does not count for its file', () => {
  const begun = [seen(200, RUNNER, 1), seen(201, 200, 3)]
  assert.deepEqual(countOf(begun, [seen(200, RUNNER, 1), seen(201, 1, 9, 900)]), { 'a.test.ts': 4 })
})
