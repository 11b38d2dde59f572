import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** The name of a prepared statement, or the text of a plain one. */
type CutAt = string

/** The moment of the cut: the server never gets the statement, or its answer never arrives. */
export type CutWhen = 'before the server' | 'before the answer'

/** Stands before a PostgreSQL and cuts connections at the worst moments. */
export interface ConnectionCutter {
  /** The server's address by way of this one. */
  readonly url: string
  /**
   * Cuts the connection that sends the statement next, once; resolves when that has happened.
   * Before the answer means after the server has answered, so that what it did is done. `within` is
   * a part of what the same transaction has sent before: jobs commit as well, every second.
   */
  cutNext(statement: CutAt, when: CutWhen, within?: CutAt): Promise<void>
  /**
   * Cuts the gateway's side as soon as the statement has been passed on, without waiting for the
   * server, which works on; resolves then.
   */
  abandonNext(statement: CutAt, within?: CutAt): Promise<void>
  /**
   * Passes nothing on any more, in either direction, as a machine without power; until `restore`.
   */
  silence(): void
  restore(): void
  close(): Promise<void>
}

interface Trap {
  readonly statement: CutAt
  readonly when: CutWhen | 'at once'
  readonly within: CutAt
  readonly sprung: () => void
}

/** `url` must name a server behind a socket folder, as the embedded one's does. */
export async function openConnectionCutter(url: string): Promise<ConnectionCutter> {
  const sockets = new Set<Socket>()
  const socketFile = socketFileOf(url)
  let trap: Trap | null = null
  let isSilent = false

  const server = createServer((gateway) => {
    const database = connect(socketFile)
    for (const socket of [gateway, database]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
    const statements = new StatementReader()
    let transaction: string[] = []
    let cutting: Trap | null = null
    const springs = (statement: string): boolean => {
      if (statement.startsWith('begin')) transaction = []
      transaction.push(statement)
      const { statement: awaited, within = '' } = trap ?? {}
      return statement === awaited && transaction.some((each) => each.includes(within))
    }
    gateway.on('data', (bytes: Buffer) => {
      if (isSilent) return
      const isSprung = statements.push(bytes).filter(springs).length > 0
      if (cutting === null && trap !== null && isSprung) {
        cutting = trap
        trap = null
        if (cutting.when === 'before the server') {
          database.destroy()
          gateway.destroy()
          cutting.sprung()
          return
        }
      }
      database.write(bytes)
      if (cutting?.when === 'at once' && statements.isComplete) {
        gateway.destroy()
        cutting.sprung()
      }
    })
    database.on('data', (bytes: Buffer) => {
      if (isSilent) return
      if (cutting === null) {
        gateway.write(bytes)
        return
      }
      // ReadyForQuery ends every answer: the server has committed, or has refused to.
      if (cutting.when === 'before the answer' && bytes.at(-6) === READY_FOR_QUERY) {
        gateway.destroy()
        database.destroy()
        cutting.sprung()
      }
    })
    gateway.on('close', () => {
      // An abandoned server finishes its statement: only its next read shows that the client left.
      if (cutting?.when === 'at once') database.end()
      else database.destroy()
    })
    database.on('close', () => gateway.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const own = new URL(url)
  own.searchParams.delete('host')
  own.hostname = '127.0.0.1'
  own.port = String(port)
  const set = (statement: CutAt, when: Trap['when'], within: CutAt = ''): Promise<void> =>
    new Promise((sprung) => (trap = { statement, when, within, sprung }))
  const cutAll = (): void => {
    for (const socket of sockets) socket.destroy()
  }

  return {
    url: own.href,
    cutNext: set,
    abandonNext: (statement, within) => set(statement, 'at once', within),
    silence: () => (isSilent = true),
    restore() {
      isSilent = false
      cutAll() // Bytes are missing in the middle of what was said.
    },
    close: () =>
      new Promise((resolve) => {
        cutAll()
        server.close(() => resolve())
      }),
  }
}

/** The file that a server behind a socket folder listens at. */
function socketFileOf(url: string): string {
  const { searchParams, port } = new URL(url)
  return `${searchParams.get('host') ?? ''}/.s.PGSQL.${port || '5432'}`
}

const READY_FOR_QUERY = 'Z'.charCodeAt(0)

/** Reads the frontend's side of the protocol as far as needed to know which statement it sends. */
class StatementReader {
  #rest = Buffer.alloc(0)
  #hasStarted = false

  /**
   * Names of prepared statements that are bound, and texts of plain ones and of those without a
   * name, in lower case.
   */
  push(bytes: Buffer): string[] {
    this.#rest = Buffer.concat([this.#rest, bytes])
    const found: string[] = []
    for (;;) {
      // The first message has no type: length and version alone.
      const header = this.#hasStarted ? 1 : 0
      if (this.#rest.length < header + 4) return found
      const length = header + this.#rest.readInt32BE(header)
      if (this.#rest.length < length) return found
      const message = this.#rest.subarray(0, length)
      this.#rest = this.#rest.subarray(length)
      if (this.#hasStarted) found.push(...statementIn(message))
      this.#hasStarted = true
    }
  }

  get isComplete(): boolean {
    return this.#rest.length === 0
  }
}

function statementIn(message: Buffer): string[] {
  const type = String.fromCharCode(message[0] ?? 0)
  const texts = message.subarray(5).toString('latin1').split('\0')
  if (type === 'Q') return [(texts[0] ?? '').toLowerCase()]
  if (type === 'P' && texts[0] === '') return [(texts[1] ?? '').toLowerCase()]
  // Bind: the portal's name comes first, the statement's second.
  return type === 'B' ? [texts[1] ?? ''] : []
}
