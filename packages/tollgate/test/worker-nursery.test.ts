import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nurseryMebibytes } from '../src/gateway-worker.ts'

const GIB = 2 ** 30
const nursery = (gibibytes: number, workers: number): number =>
  nurseryMebibytes({ memoryBytes: gibibytes * GIB, cores: workers + 1, workers })

test('a worker has a nursery of 16 to 64 MiB, a 64th of its share of the memory', () => {
  assert.deepEqual([nursery(0.25, 1), nursery(1, 1), nursery(3.9, 2)], [16, 16, 16])
  assert.deepEqual([nursery(4, 2), nursery(7.9, 2)], [32, 32])
  assert.deepEqual([nursery(8, 2), nursery(256, 15), nursery(4_096, 2)], [64, 64, 64])
})

test('a nursery is smaller if more workers share the memory', () => {
  assert.deepEqual([nursery(16, 3), nursery(16, 7), nursery(16, 15)], [64, 32, 16])
})
