import { appendAudit } from '../adapters/postgres/audit/audit-log.ts'
import { connectOnce } from '../adapters/postgres/connection/address-ring.ts'
import { clusterFile } from '../adapters/postgres/connection/cluster-memory.ts'
import {
  choosePrimary,
  type AskedServer,
  type Choice,
  type ClusterMark,
} from '../adapters/postgres/connection/primary-choice.ts'
import { askServers } from '../adapters/postgres/connection/server-state.ts'
import { refused, type Result } from '../base/refusal.ts'
import { operatorActor } from './operator-actor.ts'

export type {
  AskedServer,
  Choice,
  ClusterMark,
} from '../adapters/postgres/connection/primary-choice.ts'

/** The servers of DATABASE_URL as this node sees them. */
export interface ServersView {
  readonly servers: readonly AskedServer[]
  /** Null on a node that has not started yet. */
  readonly mark: ClusterMark | null
  readonly choice: Choice
}

/** Asks every server; takes about two seconds where one does not answer. */
export async function inspectServers(databaseUrl: string, dataDir: string): Promise<ServersView> {
  const servers = await askServers(databaseUrl)
  const mark = clusterFile(dataDir).read()
  return { servers, mark, choice: choosePrimary(servers, mark) }
}

/**
 * Lets this node use the primary that DATABASE_URL leads to, although it is of another cluster or
 * on a lower timeline. Recorded in the audit log of that primary, if it has a schema.
 */
export async function acceptServers(
  databaseUrl: string,
  dataDir: string,
): Promise<Result<{ readonly label: string; readonly mark: ClusterMark }>> {
  const servers = await askServers(databaseUrl)
  const choice = choosePrimary(servers, null)
  if (!choice.ok) return refused('conflict', choice.reason)
  const { systemIdentifier, timeline } = choice.state
  const mark = { systemIdentifier, timeline }
  const label = servers[choice.at]?.label ?? ''
  const memory = clusterFile(dataDir)
  const former = memory.read()
  const client = await connectOnce(databaseUrl, { connectionTimeoutMillis: 5_000 })
  try {
    const { rows } = await client.query<{ there: boolean }>(
      `select to_regclass('audit_entries') is not null as there`,
    )
    const entry = {
      actor: operatorActor(),
      operation: 'database.accepted',
      object: `cluster ${systemIdentifier}`,
      result: 'done',
      details: {
        timeline,
        former_cluster: former?.systemIdentifier ?? null,
        former_timeline: former?.timeline ?? null,
      },
    } as const
    if (rows[0]?.there === true) await appendAudit(client, [entry])
  } finally {
    await client.end()
  }
  memory.write(mark)
  return { ok: true, label, mark }
}
