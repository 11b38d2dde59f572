import { MOST_CONNECTIONS } from '@tollgate/gateway'
import type { Machine } from '../machine.ts'
import type { PostgresSettings } from './settings.ts'

const MIB = 2 ** 20
/** The vault process, commands, a start, autovacuum's and the operator's own. */
export const OTHER_CONNECTIONS = 50
const FEWEST_CONNECTIONS = 400

/**
 * Connections, planning, maintenance and autovacuum by the machine's size. Buffers and write-ahead
 * log stay as they are on every machine: with larger ones, a killed server took longer to return.
 * @returns settings that follow the size; none of them changes durability.
 */
export function machineSettings({ cores, memoryBytes, workers }: Machine): PostgresSettings {
  const part = (share: number, least: number, most: number): number =>
    Math.max(least, Math.min(most, Math.floor(memoryBytes / share / MIB)))
  const connections = workers * MOST_CONNECTIONS + OTHER_CONNECTIONS
  return {
    max_connections: String(Math.max(FEWEST_CONNECTIONS, connections)),
    effective_cache_size: `${part(4, 512, 262_144)}MB`,
    // For an index that is made, and for each autovacuum worker.
    maintenance_work_mem: `${part(128, 64, 1_024)}MB`,
    autovacuum_max_workers: String(Math.max(3, Math.min(8, Math.floor(cores / 2)))),
    // Pages that all autovacuums together touch before a pause.
    autovacuum_vacuum_cost_limit: String(Math.max(400, Math.min(4_000, cores * 200))),
  }
}
