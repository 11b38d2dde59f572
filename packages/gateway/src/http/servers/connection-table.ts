import { isIPv6, type Socket } from 'node:net'

export interface ConnectionTableOptions {
  /** Connections at once. */
  readonly connections: number
  /** Connections at once from one address; 0 is no limit. */
  readonly connectionsPerAddress: number
  readonly answerTimeoutMs: number
  /** How long a connection may bring no whole request, even if it sends bytes meanwhile. */
  readonly quietTimeoutMs: number
  /** Addresses that stand for many clients, such as a proxy. */
  readonly hasNoShare: (address: string) => boolean
  readonly monotonicMs: () => number
}

/**
 * Why a connection was cut: for a newcomer, for one of its own address, because it reads nothing,
 * or because it asks for nothing.
 */
export type CutReason = 'full' | 'address' | 'unread' | 'quiet'

export interface ConnectionCounts {
  readonly open: number
  /** Since the start, by reason; a newcomer for which there is no room counts too. */
  readonly cut: Readonly<Record<CutReason, number>>
}

export interface ConnectionTable {
  /** Takes a new connection in, and cuts another, or this one, when there are too many. */
  admit(socket: Socket): void
  /** Says that the requests of an admitted connection come over another socket (TLS). */
  wrap(socket: Socket, inner: Socket): void
  /** A request was read as a whole: from now on its connection is not cut. */
  begin(socket: Socket): void
  /** Its answer was handed over. */
  answered(socket: Socket): void
  /** Cuts the connections whose clients take nothing of their answers, or ask for nothing. */
  cutIdle(): void
  /** Cuts every connection that has no request under way, and whose last answer is gone. */
  cutWaiting(): void
  counts(): ConnectionCounts
}

/**
 * A client whose first request is younger is given the time before one that keeps its connection.
 */
const GRACE_MS = 1_000
/** For an answer that was handed over to leave this machine. */
const SETTLE_MS = 100

interface Connection {
  socket: Socket
  readonly share: Share | null
  /** Requests that were read and are not answered. */
  underWay: number
  /** When it was opened, or its last answer handed over. */
  since: number
  /** How much of its answers was taken, and when that was last seen to change. */
  taken: number
  takenAt: number
}

interface Share {
  readonly key: string
  count: number
  /** Connections with no request under way, the longest idle first. */
  readonly calm: Set<Connection>
}

/**
 * Keeps every connection and its state, so that paying clients find room. When all places are
 * taken, it cuts the connection that has waited longest without a request under way. Those that
 * never brought a whole request go before idle ones. A connection with a request under way is
 * never cut; if there are only those, the newcomer is.
 */
export function createConnectionTable(options: ConnectionTableOptions): ConnectionTable {
  const { monotonicMs, connectionsPerAddress } = options
  const bySocket = new WeakMap<Socket, Connection>()
  const shares = new Map<string, Share>()
  // In the sequence of `since`, because a connection that is added was changed last.
  const fresh = new Set<Connection>()
  const kept = new Set<Connection>()
  const all = new Set<Connection>()
  const cuts: Record<CutReason, number> = { full: 0, address: 0, unread: 0, quiet: 0 }

  function forget(connection: Connection): void {
    if (!all.delete(connection)) return
    fresh.delete(connection)
    kept.delete(connection)
    const { share } = connection
    if (share === null) return
    share.calm.delete(connection)
    share.count -= 1
    if (share.count === 0) shares.delete(share.key)
  }

  function cut(connection: Connection, why: CutReason): void {
    cuts[why] += 1
    forget(connection)
    connection.socket.destroy()
  }

  function shareOf(address: string): Share | null {
    if (connectionsPerAddress === 0 || options.hasNoShare(address)) return null
    const key = addressKey(address)
    return shares.get(key) ?? { key, count: 0, calm: new Set() }
  }

  /** The connection to cut for a newcomer; null when all are busy. */
  function longestWaiting(now: number): Connection | null {
    const [unproven = null] = fresh
    if (unproven !== null && now - unproven.since >= GRACE_MS) return unproven
    const [idle = null] = kept
    return idle !== null && isCalm(idle, now) ? idle : unproven
  }

  function isCalm(connection: Connection, now: number): boolean {
    return fresh.has(connection) || now - connection.since >= SETTLE_MS
  }

  /** Whether there is room for one more, if need be by cutting another. */
  function makeRoom(share: Share | null, now: number): CutReason | null {
    if (share !== null && share.count >= connectionsPerAddress) {
      const own = share.calm.values().find((connection) => isCalm(connection, now))
      if (own === undefined) return 'address'
      cut(own, 'address')
    } else if (all.size >= options.connections) {
      const other = longestWaiting(now)
      if (other === null) return 'full'
      cut(other, 'full')
    }
    return null
  }

  return {
    admit(socket) {
      const now = monotonicMs()
      const share = shareOf(socket.remoteAddress ?? '')
      const refused = makeRoom(share, now)
      if (refused !== null) {
        cuts[refused] += 1
        socket.destroy()
        return
      }
      const connection: Connection = {
        socket,
        share,
        underWay: 0,
        since: now,
        taken: 0,
        takenAt: now,
      }
      bySocket.set(socket, connection)
      all.add(connection)
      fresh.add(connection)
      if (share !== null) {
        // New, or gone with the last of the others.
        shares.set(share.key, share)
        share.count += 1
        share.calm.add(connection)
      }
      socket.once('close', () => forget(connection))
    },
    wrap(socket, inner) {
      const connection = bySocket.get(socket)
      if (connection === undefined) return
      connection.socket = inner
      bySocket.set(inner, connection)
    },
    begin(socket) {
      const connection = bySocket.get(socket)
      if (connection === undefined) return
      connection.underWay += 1
      fresh.delete(connection)
      kept.delete(connection)
      connection.share?.calm.delete(connection)
    },
    answered(socket) {
      const connection = bySocket.get(socket)
      if (connection === undefined || !all.has(connection)) return
      connection.underWay -= 1
      if (connection.underWay > 0) return
      connection.since = monotonicMs()
      connection.takenAt = connection.since
      kept.add(connection)
      connection.share?.calm.add(connection)
    },
    cutIdle() {
      const now = monotonicMs()
      const isQuiet = ({ since }: Connection): boolean => now - since >= options.quietTimeoutMs
      for (const connection of fresh) {
        // All that follow in here came later.
        if (!isQuiet(connection)) break
        cut(connection, 'quiet')
      }
      for (const connection of kept) {
        const { socket } = connection
        if (socket.writableLength === 0) {
          connection.takenAt = now
          if (isQuiet(connection)) cut(connection, 'quiet')
          continue
        }
        const taken = socket.bytesWritten - socket.writableLength
        if (taken !== connection.taken) {
          connection.taken = taken
          connection.takenAt = now
        } else if (now - connection.takenAt >= options.answerTimeoutMs) cut(connection, 'unread')
      }
    },
    cutWaiting() {
      const now = monotonicMs()
      for (const connection of [...fresh, ...kept]) {
        if (!isCalm(connection, now) || connection.socket.writableLength > 0) continue
        forget(connection)
        connection.socket.destroy()
      }
    },
    counts: () => ({ open: all.size, cut: { ...cuts } }),
  }
}

/** One address; of IPv6 the /64, since who has one address there has them all. */
export function addressKey(address: string): string {
  const plain = address.replace(/^::ffff:(?=[0-9.]+$)/i, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':')
    while (groups.length < 8 - after.length) groups.push('0')
    groups.push(...after)
  }
  const network = groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, '').toLowerCase())
  return `${network.join(':')}::/64`
}
