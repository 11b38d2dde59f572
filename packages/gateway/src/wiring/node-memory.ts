import { clusterFile, type ClusterMemory } from '../adapters/postgres/connection/cluster-memory.ts'
import type { GatewayConfig } from '../config/config.ts'

/** The variable by which a supervisor says that the database is the embedded one. */
const EMBEDDED = 'TOLLGATE_EMBEDDED_DATABASE'

/**
 * The memory of a node's processes about the servers of DATABASE_URL. The embedded database needs
 * none: its folder is in DATA_DIR, and it has no standby.
 */
export function nodeMemory(
  env: Readonly<Record<string, string | undefined>>,
  { dataDir }: Pick<GatewayConfig, 'dataDir'>,
): ClusterMemory | undefined {
  return env[EMBEDDED] === '1' ? undefined : clusterFile(dataDir)
}
