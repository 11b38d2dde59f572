import pg from 'pg'
import { databaseAddresses } from '../../../base/database-addresses.ts'

/** The address to connect to: the one that worked last, until it fails. */
export interface AddressRing {
  /** For `new Pool`: connects to the ring's address of the moment. */
  readonly Client: typeof pg.Client
  /** For `new Pool`: refuses a new connection to a server that takes no writes. */
  readonly verify: ((client: pg.PoolClient, done: (error?: Error) => void) => void) | undefined
}

/** Shared by all pools of a process, so that what one of them finds out helps the others. */
export function createAddressRing(url: string): AddressRing {
  const addresses = databaseAddresses(url)
  let current = 0
  const failed = (address: number): void => {
    if (address === current) current = (current + 1) % addresses.length
  }
  const addressOf = new WeakMap<pg.ClientBase, number>()

  class RingClient extends pg.Client {
    constructor(config: pg.ClientConfig) {
      const address = current
      super({ ...config, connectionString: addresses[address] ?? url })
      addressOf.set(this, address)
      // A server may end a session right after its start, before a pool listens. An error without a
      // listener would end the process. The next statement reports it.
      this.on('error', () => undefined)
    }

    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error) => void): void
    override connect(callback?: (error: Error) => void): Promise<pg.Client> | void {
      const connected = super.connect().catch((error: unknown) => {
        failed(addressOf.get(this) ?? current)
        throw error
      })
      if (callback === undefined) return connected
      // `pg` reports success by an error of null, which its types do not have.
      connected.then(() => callback(null as unknown as Error), callback)
    }
  }

  return {
    Client: RingClient,
    verify:
      addresses.length === 1
        ? undefined
        : (client, done) => {
            const address = addressOf.get(client) ?? current
            assertWritable(client).then(
              () => done(),
              (error: Error) => {
                failed(address)
                done(error)
              },
            )
          },
  }
}

/** Connects once, for work that needs no pool: to the first address that takes writes. */
export async function connectOnce(url: string, config: pg.ClientConfig): Promise<pg.Client> {
  const addresses = databaseAddresses(url)
  let lastError: unknown
  for (const connectionString of addresses) {
    const client = new pg.Client({ ...config, connectionString })
    client.on('error', () => undefined) // Reported by the next statement.
    try {
      await client.connect()
      if (addresses.length > 1) await assertWritable(client)
      return client
    } catch (error) {
      lastError = error
      await client.end().catch(() => undefined)
    }
  }
  throw lastError
}

/** SQLSTATE of a server that takes no writes. */
const READ_ONLY = '25006'

async function assertWritable(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ read_only: string }>(
    `select current_setting('transaction_read_only') as read_only`,
  )
  if (rows[0]?.read_only !== 'on') return
  const error = new Error('This server takes no writes: it is a standby, or read-only.')
  throw Object.assign(error, { code: READ_ONLY })
}
