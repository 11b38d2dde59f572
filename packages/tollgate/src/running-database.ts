import type { GatewayConfig } from '@tollgate/gateway/config'
import { join } from 'node:path'
import { findEmbeddedDatabase } from './embedded-postgres.ts'

/**
 * The address of the database that a started Tollgate uses; null when the embedded one is not
 * running.
 */
export function runningDatabaseUrl(config: GatewayConfig): string | null {
  if (config.databaseUrl !== null) return config.databaseUrl.reveal()
  return findEmbeddedDatabase(join(config.dataDir, 'postgres'))
}
