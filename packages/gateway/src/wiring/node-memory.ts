import { clusterFile, type ClusterMemory } from '../adapters/postgres/connection/cluster-memory.ts'
import type { GatewayConfig } from '../config/config.ts'

/** The variable by which a supervisor says that the database is the embedded one. */
const EMBEDDED = 'TOLLGATE_EMBEDDED_DATABASE'

/** Whether the database of this process is the embedded one, which no other node uses. */
export function isEmbedded(env: Readonly<Record<string, string | undefined>>): boolean {
  return env[EMBEDDED] === '1'
}

/**
 * The memory of a node's processes about the servers of DATABASE_URL. The embedded database needs
 * none: its folder is in DATA_DIR, and it has no standby.
 */
export function nodeMemory(
  env: Readonly<Record<string, string | undefined>>,
  { dataDir }: Pick<GatewayConfig, 'dataDir'>,
): ClusterMemory | undefined {
  return isEmbedded(env) ? undefined : clusterFile(dataDir)
}
