import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { createPoolMetrics } from '../../../src/adapters/metrics/database-metrics.ts'

test('a pool has its used and idle connections, and what waits for one, in the metrics', async () => {
  const registry = new Registry()
  createPoolMetrics([registry])(() => [{ pool: 'tollgate', open: 6, idle: 2, waiting: 3 }])
  const lines = (await registry.metrics()).split('\n').filter((line) => /^[a-z]/.test(line))
  assert.deepEqual(lines, [
    'tollgate_database_connections{pool="tollgate",state="used"} 4',
    'tollgate_database_connections{pool="tollgate",state="idle"} 2',
    'tollgate_database_waiting{pool="tollgate"} 3',
  ])
})
