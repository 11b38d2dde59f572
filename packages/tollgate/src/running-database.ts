import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GatewayConfig } from '@tollgate/gateway/config'
import { socketUrl } from './embedded-postgres.ts'

/** Line of the server's own file that names the folder of its socket, from 0. */
const SOCKET_FOLDER_LINE = 4

/** The address of a started Tollgate's database; null when the embedded one is not running. */
export function runningDatabaseUrl(config: GatewayConfig): string | null {
  if (config.databaseUrl !== null) return config.databaseUrl.reveal()
  try {
    const file = join(config.dataDir, 'postgres', 'cluster', 'postmaster.pid')
    const socketFolder = readFileSync(file, 'utf8').split('\n')[SOCKET_FOLDER_LINE] ?? ''
    return socketFolder === '' ? null : socketUrl(socketFolder)
  } catch {
    return null
  }
}
