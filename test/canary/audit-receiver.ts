import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

/** A log server of the operator, which keeps every byte. */
export interface AuditReceiver {
  readonly port: number
  pushed(): Buffer
  stop(): void
}

export async function startAuditReceiver(): Promise<AuditReceiver> {
  const chunks: Buffer[] = []
  const server = createServer((socket) => {
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => undefined) // The gateway is killed by a path.
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    pushed: () => Buffer.concat(chunks),
    stop: () => void server.close(),
  }
}
