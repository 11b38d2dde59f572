import { createServer, type AddressInfo, type Server } from 'node:net'

function listen(): Promise<Server> {
  const server = createServer()
  return new Promise((settle) => server.listen(0, '127.0.0.1', () => settle(server)))
}

/** The port that a server listens at. */
export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/** Ports that nobody listens at now, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listen))
  const ports = servers.map(portOf)
  await Promise.all(servers.map((server) => new Promise((settle) => server.close(settle))))
  return ports
}

/** A server on a free port, which therefore is taken until the server is closed. */
export function takePort(): Promise<Server> {
  return listen()
}
