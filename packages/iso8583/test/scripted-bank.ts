import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { FrameReader, answerTo, createLinkClient, frame } from '../src/index.ts'
import type { IsoMessage, LinkClient, LinkClientOptions, LinkTiming } from '../src/index.ts'
import { HOUSE } from './support.ts'

/** The bank's end of one connection, which a test controls. */
export interface BankSide {
  send(message: IsoMessage): void
  sendRaw(bytes: Buffer): void
  drop(): void
}

/** A bank's reaction to a message; a test names its misbehaviour by the function it passes. */
export type Script = (message: IsoMessage, bank: BankSide) => void

export interface ScriptedBank {
  readonly port: number
  /** Everything that was received, in order. */
  readonly received: IsoMessage[]
  /** How many connections were taken. */
  connections(): number
  /** The next message for which the condition holds. */
  next(matches: (message: IsoMessage) => boolean): Promise<IsoMessage>
}

/** A bank that signs links on and leaves everything else to the script. */
export const signsOn =
  (script: Script): Script =>
  (message, bank) => {
    if (message.mti === '0800' && message.fields[70] === '001') bank.send(approval(message))
    else script(message, bank)
  }

export const silent: Script = () => {}
export const approves: Script = (message, bank) => bank.send(approval(message))

export function approval(request: IsoMessage): IsoMessage {
  return answerTo(request, { 39: '00' })
}

export async function aBank(t: TestContext, script: Script): Promise<ScriptedBank> {
  const received: IsoMessage[] = []
  const sockets = new Set<Socket>()
  let waiting: {
    matches: (message: IsoMessage) => boolean
    resolve: (message: IsoMessage) => void
  }[] = []
  let connections = 0
  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1
    sockets.add(socket)
    const reader = new FrameReader()
    const bank: BankSide = {
      send: (message) => socket.write(frame(HOUSE.encode(message))),
      sendRaw: (bytes) => socket.write(bytes),
      drop: () => socket.destroy(),
    }
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      for (const bytes of reader.push(chunk as Buffer)) {
        const message = HOUSE.decode(bytes)
        received.push(message)
        script(message, bank)
        const told = waiting.filter(({ matches }) => matches(message))
        waiting = waiting.filter((waiter) => !told.includes(waiter))
        for (const { resolve } of told) resolve(message)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    port: (server.address() as AddressInfo).port,
    received,
    connections: () => connections,
    next: (matches) => new Promise((resolve) => waiting.push({ matches, resolve })),
  }
}

/** Short enough for a test, long enough that a busy machine does not meet them by accident. */
const TIMING: Partial<LinkTiming> = { reconnectMinMs: 5, reconnectMaxMs: 20, stopTimeoutMs: 50 }

/** A started client that is stopped with the test. */
export function aClient(
  t: TestContext,
  port: number,
  options: Partial<LinkClientOptions> = {},
): LinkClient {
  const client = createLinkClient({
    host: '127.0.0.1',
    port,
    codec: HOUSE,
    acquirerId: '400001',
    onUnmatched: () => {},
    ...options,
    timing: { ...TIMING, ...options.timing },
  })
  client.start()
  t.after(() => client.stop())
  return client
}
