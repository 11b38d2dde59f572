import type { DatabaseAddress } from '@tollgate/gateway'
import type { GatewayConfig } from '@tollgate/gateway/config'
import { join } from 'node:path'
import { findEmbeddedDatabase } from './embedded-postgres.ts'
import { externalDatabase } from './external-database.ts'

/**
 * The address of the database that a started Tollgate uses; null when the embedded one is not
 * running.
 */
export function runningDatabaseUrl(config: GatewayConfig): string | null {
  if (config.databaseUrl !== null) return config.databaseUrl.reveal()
  return findEmbeddedDatabase(join(config.dataDir, 'postgres'))
}

/** The same, with what this node knows of the servers. */
export function runningDatabase(config: GatewayConfig): DatabaseAddress | null {
  const url = runningDatabaseUrl(config)
  return url === null || config.databaseUrl === null ? url : externalDatabase(url, config.dataDir)
}
