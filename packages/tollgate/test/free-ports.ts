import { randomInt } from 'node:crypto'
import { createServer, type AddressInfo, type Server } from 'node:net'

function listen(): Promise<Server> {
  const server = createServer()
  return new Promise((settle) => server.listen(0, '127.0.0.1', () => settle(server)))
}

/** The port that a server listens at. */
export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/** Below what systems hand out by themselves: nobody else gets one of these by chance meanwhile. */
const LOWEST = 20_000
const HIGHEST = 32_000

function tryPort(port: number): Promise<Server | null> {
  const server = createServer()
  return new Promise((settle) => {
    server.once('error', () => settle(null))
    server.listen(port, '127.0.0.1', () => settle(server))
  })
}

/** Ports that nobody listens at now, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers: Server[] = []
  while (servers.length < count) {
    const server = await tryPort(randomInt(LOWEST, HIGHEST))
    if (server !== null) servers.push(server)
  }
  const ports = servers.map(portOf)
  await Promise.all(servers.map((server) => new Promise((settle) => server.close(settle))))
  return ports
}

/** A server on a free port, which therefore is taken until the server is closed. */
export function takePort(): Promise<Server> {
  return listen()
}
