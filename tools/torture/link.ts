import { frame, FrameReader } from '@tollgate/iso8583'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export type Direction = 'to_bank' | 'to_gateway'

/** The fate of one message on the link. */
export type Fate =
  | { readonly kind: 'pass' }
  | { readonly kind: 'lose' }
  | { readonly kind: 'double' }
  /** Arrives later than messages that were sent after it. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Half of it arrives, and the connection is lost. */
  | { readonly kind: 'tear' }

export const PASS: Fate = { kind: 'pass' }

/** The line between the gateways and the bank, which applies the set fate to each message. */
export interface TorturedLink {
  readonly port: number
  /** Decides about each message from now on. `mti` is its type, such as 0100. */
  decide(fate: (mti: string, direction: Direction) => Fate): void
  /** Breaks every connection, and refuses new ones until `mend`. */
  cut(): void
  mend(): void
  /** Everything takes this much longer, in sequence; 0 for as fast as it goes. */
  slow(ms: number): void
  /** How many messages met each fate, and how often the link was cut. */
  readonly counts: Readonly<Record<Fate['kind'], number>>
  close(): Promise<void>
}

/** Opens a line to the bank on a port of its own. It lives through deaths at either end. */
export async function openTorturedLink(bankPort: number): Promise<TorturedLink> {
  const counts = { pass: 0, lose: 0, double: 0, delay: 0, tear: 0 }
  const open = new Set<() => void>()
  let decide: (mti: string, direction: Direction) => Fate = () => PASS
  let isCut = false
  let slowMs = 0

  /** Copies messages from one end to the other. Gives how many have not arrived yet. */
  const carry = (from: Socket, to: Socket, direction: Direction, breakOff: () => void) => {
    const reader = new FrameReader()
    let under = 0
    let lastAt = 0
    const deliver = (bytes: Buffer, afterMs: number): void => {
      if (afterMs === 0 && under === 0) {
        to.write(bytes)
        return
      }
      under += 1
      setTimeout(() => {
        under -= 1
        if (to.writable) to.write(bytes)
        if (under === 0 && from.destroyed) to.end()
      }, afterMs)
    }
    const inSequence = (bytes: Buffer): void => {
      if (slowMs === 0 && lastAt === 0) return deliver(bytes, 0)
      const now = performance.now()
      lastAt = Math.max(lastAt, now + slowMs)
      deliver(bytes, lastAt - now)
      if (slowMs === 0 && lastAt <= now) lastAt = 0
    }
    from.on('data', (chunk: Buffer) => {
      let messages: Buffer[]
      try {
        messages = reader.push(chunk)
      } catch {
        return breakOff()
      }
      for (const message of messages) {
        const bytes = frame(message)
        const fate = decide(message.toString('latin1', 0, 4), direction)
        counts[fate.kind] += 1
        if (fate.kind === 'lose') continue
        if (fate.kind === 'tear') {
          to.write(bytes.subarray(0, Math.floor(bytes.length / 2)), breakOff)
          return
        }
        if (fate.kind === 'delay') {
          deliver(bytes, fate.ms)
          continue
        }
        inSequence(bytes)
        if (fate.kind === 'double') inSequence(bytes)
      }
    })
    return () => under
  }

  const server = createServer((gateway) => {
    if (isCut) {
      gateway.destroy()
      return
    }
    const bank = connect(bankPort, '127.0.0.1')
    const breakOff = (): void => {
      gateway.destroy()
      bank.destroy()
      open.delete(breakOff)
    }
    open.add(breakOff)
    for (const socket of [gateway, bank]) {
      socket.setNoDelay(true)
      socket.on('error', () => socket.destroy())
    }
    const onTheWay = carry(gateway, bank, 'to_bank', breakOff)
    carry(bank, gateway, 'to_gateway', breakOff)
    // Messages of a dead gateway are still on their way, as they would be on a real line.
    gateway.on('close', () => {
      if (onTheWay() === 0) bank.end()
    })
    bank.on('close', breakOff)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const breakAll = (): void => {
    for (const breakOff of open) breakOff()
  }
  return {
    port: (server.address() as AddressInfo).port,
    counts,
    decide: (fate) => (decide = fate),
    cut() {
      isCut = true
      breakAll()
    },
    mend: () => void (isCut = false),
    slow: (ms) => void (slowMs = ms),
    async close() {
      isCut = true
      breakAll()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
