import pg from 'pg'
import { databaseAddresses } from '../../../base/database-addresses.ts'
import type { DatabaseAddress } from './cluster-memory.ts'
import {
  choosePrimary,
  faultOf,
  highestTimeline,
  raiseMark,
  type ClusterMark,
  type ServerState,
} from './primary-choice.ts'
import { askServers, labelOf, readServerState } from './server-state.ts'

/** The servers of one DATABASE_URL, and the one of them that payments may be written to. */
export interface AddressRing {
  /** For `new Pool`: connects to the primary with the highest timeline, and to no other server. */
  readonly Client: typeof pg.Client
  /**
   * Asks all servers whether a newer primary exists, and then breaks the connections to the old
   * one. Does nothing with a single address.
   */
  check(): Promise<void>
}

/** SQLSTATE of a server that takes no writes. Callers read it as a database that is away. */
const READ_ONLY = '25006'

/**
 * Shared by all pools of a process, so that what one of them finds out helps the others.
 * `onRefused` gets the reason when it changes.
 */
export function createAddressRing(
  address: DatabaseAddress,
  onRefused: (reason: string) => void,
): AddressRing {
  const { url, memory } = typeof address === 'string' ? { url: address, memory: null } : address
  const addresses = databaseAddresses(url)
  const labels = addresses.map(labelOf)
  const connected = new Map<pg.Client, ServerState>()
  let mark: ClusterMark | null = memory?.read() ?? null
  /** The address of the primary; null before the servers were asked, and after a failure. */
  let trusted: number | null = addresses.length === 1 ? 0 : null
  let asking: Promise<number> | null = null
  let lastReason = ''

  const refuse = (reason: string): Error => {
    if (reason !== lastReason) onRefused(reason)
    lastReason = reason
    return Object.assign(new Error(reason), { code: READ_ONLY })
  }
  const distrust = (): void => {
    if (addresses.length > 1) trusted = null
  }
  const learn = (seen: ClusterMark): void => {
    const raised = raiseMark(mark, seen)
    if (raised === mark) return
    mark = raised
    try {
      memory?.write(raised)
    } catch (error) {
      onRefused(`The mark of the timeline cannot be written: ${String(error)}`)
    }
  }
  /** Breaks every connection to a server that has been left behind by another. */
  const leaveOld = (): void => {
    for (const [client, state] of connected) {
      if (state.timeline < (mark?.timeline ?? 0)) client.connection.stream.destroy()
    }
  }

  async function ask(): Promise<number> {
    const servers = await askServers(url)
    const choice = choosePrimary(servers, mark)
    if (mark !== null) {
      const { systemIdentifier } = mark
      learn({ systemIdentifier, timeline: highestTimeline(servers, systemIdentifier, mark) })
      leaveOld()
    }
    if (!choice.ok) {
      trusted = null
      throw servers.map(({ state }) => state).find(isWrongRequest) ?? refuse(choice.reason)
    }
    learn(choice.state)
    leaveOld()
    trusted = choice.at
    return choice.at
  }
  /** One round of questions at a time; all callers share its result. */
  const askAll = (): Promise<number> => (asking ??= ask().finally(() => (asking = null)))

  async function verify(client: pg.Client, at: number): Promise<void> {
    const state = await readServerState(client)
    // A single server that is read-only is used, and reported by each part that would write.
    const isElsewhere = addresses.length > 1 && state.isStandby
    const label = labels[at] ?? ''
    const fault = isElsewhere ? `The server at ${label} is a standby.` : faultOf(label, state, mark)
    if (fault !== null) throw refuse(fault)
    if (!state.isStandby) learn(state)
    lastReason = ''
    connected.set(client, state)
  }

  class RingClient extends pg.Client {
    readonly #config: pg.ClientConfig

    constructor(config: pg.ClientConfig) {
      super({ ...config, connectionString: addresses[0] ?? url })
      this.#config = config
      // A server may end a session right after its start, before a pool listens. An error without a
      // listener would end the process. The next statement reports it.
      this.on('error', distrust)
      this.on('end', () => connected.delete(this))
    }

    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error) => void): void
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
      const done = this.#connect()
      if (callback === undefined) return done
      // `pg` reports success by an error of null, which its types do not have.
      done.then(() => callback(null as unknown as Error), callback)
    }

    async #connect(): Promise<pg.Client> {
      const at = trusted ?? (await askAll())
      if (at > 0) pointAt(this, { ...this.#config, connectionString: addresses[at] ?? url })
      try {
        await super.connect()
        await verify(this, at)
        return this
      } catch (error) {
        distrust()
        this.end().catch(() => undefined)
        throw error
      }
    }
  }

  return {
    Client: RingClient,
    async check() {
      if (addresses.length > 1) await askAll()
    },
  }
}

/** Connects once, for work that needs no pool. */
export async function connectOnce(
  address: DatabaseAddress,
  config: pg.ClientConfig,
): Promise<pg.Client> {
  const { Client } = createAddressRing(address, () => undefined)
  const client = new Client(config)
  await client.connect()
  return client
}

/** The addresses of a ring differ in host and port only. */
function pointAt(client: pg.Client, config: pg.ClientConfig): void {
  // The parameters, which the types of `pg` lack, choose the line of a password file.
  type Pointed = pg.Client & { readonly connectionParameters: object }
  const { host, port, connectionParameters } = new pg.Client(config) as Pointed
  Object.assign(client, { host, port, connectionParameters })
}

/** A password or a database's name is wrong, which no other server and no wait would change. */
function isWrongRequest(state: ServerState | Error): state is pg.DatabaseError {
  return state instanceof pg.DatabaseError && /^(28|3D)/.test(state.code ?? '')
}
