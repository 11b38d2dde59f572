import { createServer } from 'node:net'
import { StartupError } from './startup-error.ts'

/** A port that a setting asks for. */
export interface WantedPort {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  readonly portSetting: string
  readonly hostSetting: string
}

function explain({ host, port, portSetting, hostSetting }: WantedPort, code?: string): string {
  if (code === 'EADDRINUSE') {
    return (
      `Port ${port} on ${host} (${portSetting}) is already in use: ` +
      `stop the program that uses it, or set ${portSetting} to another port.`
    )
  }
  if (code === 'EACCES') {
    return (
      `Port ${port} on ${host} (${portSetting}) may not be used by this user: ` +
      `set ${portSetting} to a port of 1024 or above.`
    )
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return (
      `${hostSetting} is ${host}, which is no address of this machine: set ` +
      `${hostSetting} to one.`
    )
  }
  return `Port ${port} on ${host} (${portSetting}) cannot be listened at (${code}).`
}

/**
 * Listens at a port briefly, so that a port in use is reported before any process starts.
 * @returns the port, or the free one that was found for 0.
 * @throws StartupError that names the port and the setting behind it.
 */
export function claimPort(wanted: WantedPort): Promise<number> {
  const server = createServer()
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  server.once('error', (error: NodeJS.ErrnoException) => {
    reject(new StartupError(explain(wanted, error.code)))
  })
  server.listen({ host: wanted.host, port: wanted.port, exclusive: true }, () => {
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : wanted.port
    server.close(() => resolve(port))
  })
  return promise
}
