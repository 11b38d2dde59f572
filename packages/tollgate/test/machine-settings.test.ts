import { MOST_CONNECTIONS } from '@tollgate/gateway'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { machineSettings } from '../src/postgres/machine-settings.ts'

const GIB = 2 ** 30

test('a small machine gets the settings of the smallest, however little memory it has', () => {
  const small = {
    max_connections: '400',
    effective_cache_size: '512MB',
    maintenance_work_mem: '64MB',
    autovacuum_max_workers: '3',
    autovacuum_vacuum_cost_limit: '400',
  }
  assert.deepEqual(machineSettings({ memoryBytes: GIB, cores: 1, workers: 1 }), small)
  assert.deepEqual(machineSettings({ memoryBytes: 2 * GIB, cores: 2, workers: 2 }), small)
})

test('memory for maintenance, connections and autovacuum grow with the machine, up to limits', () => {
  assert.deepEqual(machineSettings({ memoryBytes: 64 * GIB, cores: 16, workers: 15 }), {
    max_connections: String(15 * MOST_CONNECTIONS + 50),
    effective_cache_size: '16384MB',
    maintenance_work_mem: '512MB',
    autovacuum_max_workers: '8',
    autovacuum_vacuum_cost_limit: '3200',
  })
  const huge = machineSettings({ memoryBytes: 4_096 * GIB, cores: 256, workers: 1 })
  assert.deepEqual(
    [huge['effective_cache_size'], huge['autovacuum_vacuum_cost_limit']],
    ['262144MB', '4000'],
  )
})

test('no setting of size changes durability', () => {
  const names = Object.keys(machineSettings({ memoryBytes: GIB, cores: 1, workers: 1 }))
  assert.deepEqual(
    names.filter((name) => /fsync|commit|full_page|checksum|wal_level/.test(name)),
    [],
  )
})
