import { FrameReader } from '@tollgate/iso8583'
import { createServer, connect, type AddressInfo, type Socket } from 'node:net'

/** A cable between gateway and bank that can be listened to and made to fail. */
export interface BankTap {
  readonly port: number
  /** Every message that went over it, in both directions, as bytes without the length prefix. */
  readonly messages: readonly Buffer[]
  /** Loses all messages from the bank from now on. Messages to the bank still arrive. */
  muteBank(): void
  unmuteBank(): void
  /** Holds all messages from the bank from now on. `letGo` delivers them late. */
  holdBank(): void
  letGo(): void
  close(): Promise<void>
}

export async function openBankTap(bankPort: number): Promise<BankTap> {
  const messages: Buffer[] = []
  const sockets = new Set<Socket>()
  let muted = false
  let held: (() => void)[] | null = null
  const server = createServer((gateway) => {
    const bank = connect(bankPort, '127.0.0.1')
    for (const socket of [gateway, bank]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
    }
    listen(gateway, (message) => messages.push(message))
    listen(bank, (message) => messages.push(message))
    gateway.on('data', (bytes) => bank.write(bytes))
    bank.on('data', (bytes) => {
      if (muted) return
      const deliver = (): void => void gateway.write(bytes)
      if (held === null) deliver()
      else held.push(deliver)
    })
    gateway.on('close', () => bank.destroy())
    bank.on('close', () => gateway.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    messages,
    muteBank: () => (muted = true),
    unmuteBank: () => (muted = false),
    holdBank: () => (held ??= []),
    letGo: () => {
      const late = held ?? []
      held = null
      for (const deliver of late) deliver()
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}

function listen(socket: Socket, onMessage: (message: Buffer) => void): void {
  const reader = new FrameReader()
  socket.on('data', (bytes: Buffer) => {
    for (const message of reader.push(bytes)) onMessage(Buffer.from(message))
  })
}
