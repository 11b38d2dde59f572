import {
  acceptServers,
  inspectServers,
  type AskedServer,
  type ServersView,
} from '@tollgate/gateway/operator-database'
import {
  refuse,
  requireConfig,
  type OperatorCommand,
  type OperatorContext,
} from './operator-work.ts'
import { runningDatabaseUrl } from './running-database.ts'
import { StartupError } from './startup-error.ts'

/** The servers of DATABASE_URL. docs/operators/database-trouble.md */
export const database: OperatorCommand = {
  name: 'database',
  summary: 'database show | accept: the servers of DATABASE_URL, and which of them is used',
  forms: [
    {
      words: 'show',
      help: 'lists the servers, and exits with 1 if none of them may be written to',
      async run(_given, { env, print, complain }) {
        const { url, dataDir } = externalOf(env)
        const view = await inspectServers(url, dataDir)
        for (const line of describeServers(view)) print(line)
        if (view.choice.ok) return 0
        complain(view.choice.reason)
        return 1
      },
    },
    {
      words: 'accept',
      help: 'lets this node use a server of another cluster or of a lower timeline',
      async run(_given, { env, print, complain }) {
        const { url, dataDir } = externalOf(env)
        const accepted = await acceptServers(url, dataDir)
        if (!accepted.ok) return refuse(accepted.faults, complain)
        const { label, mark } = accepted
        print(
          `This node uses the server at ${label} from now on: cluster ${mark.systemIdentifier}, ` +
            `timeline ${mark.timeline}. Restart it, and accept on every other node.`,
        )
        return 0
      },
    },
  ],
}

function externalOf(env: OperatorContext['env']): { url: string; dataDir: string } {
  const config = requireConfig(env)
  const url = config.databaseUrl === null ? null : runningDatabaseUrl(config)
  if (url !== null) return { url, dataDir: config.dataDir }
  throw new StartupError('DATABASE_URL is not set: the embedded database has one server only.')
}

/** One line for each server, and one for the mark. */
export function describeServers({ servers, mark, choice }: ServersView): string[] {
  const known =
    mark === null
      ? 'This node has seen no cluster yet.'
      : `This node has seen cluster ${mark.systemIdentifier} up to timeline ${mark.timeline}.`
  return [
    ...servers.map((server, at) => describeServer(server, choice.ok && choice.at === at)),
    known,
  ]
}

function describeServer({ label, state }: AskedServer, isChosen: boolean): string {
  if (state instanceof Error) return `${label}: ${state.message || 'no answer'}`
  const { isStandby, takesWrites, timeline, systemIdentifier } = state
  const role = isStandby ? 'standby' : takesWrites ? 'primary' : 'read-only'
  const used = isChosen ? ', used' : ''
  return `${label}: ${role}, timeline ${timeline}, cluster ${systemIdentifier}${used}`
}
