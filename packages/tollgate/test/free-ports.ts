import { randomInt } from 'node:crypto'
import { createServer, type AddressInfo, type Server } from 'node:net'

function listen(): Promise<Server> {
  const server = createServer()
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

/** The port that a server listens at. */
export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

/** Below the ports that systems assign by themselves, so no other program gets one meanwhile. */
const LOWEST = 10_240
const HIGHEST = 32_768
/** A bank without settings for them takes the five ports behind its own as well. */
const TAKEN_ALONG = 5
const APART = TAKEN_ALONG + 1
/** One is the guard's. */
const BLOCK = 1 + 6 * APART

function tryPort(port: number): Promise<Server | null> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(null))
    server.listen(port, '127.0.0.1', () => resolve(server))
  })
}

/**
 * Some ports in a row that belong to this process until it ends, as long as every test calls this.
 * It listens at the first of them, which only one process can.
 */
async function claimBlock(): Promise<number> {
  for (;;) {
    const first = LOWEST + BLOCK * randomInt(Math.floor((HIGHEST - LOWEST) / BLOCK))
    const guard = await tryPort(first)
    if (guard === null) continue
    guard.unref()
    return first
  }
}

const claimed: number[] = []

/**
 * Different ports without a listener. Until this process ends, no other test gets one of them, or
 * of the five behind each.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) {
    const port = claimed.pop()
    if (port === undefined) {
      const first = await claimBlock()
      for (let at = first + 1; at < first + BLOCK; at += APART) claimed.push(at)
      continue
    }
    const server = await tryPort(port)
    if (server === null) continue
    ports.push(port)
    await new Promise((resolve) => server.close(resolve))
  }
  return ports
}

/** A server on a free port, which is in use until the server is closed. */
export function takePort(): Promise<Server> {
  return listen()
}
