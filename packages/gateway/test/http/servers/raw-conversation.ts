import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { TestContext } from 'node:test'
import type { FakeGateway } from '../fake-gateway.ts'

/** The address of a gateway that listens until the end of the test. */
export async function listening(t: TestContext, gateway: FakeGateway): Promise<URL> {
  t.after(() => gateway.servers.close())
  const [base = ''] = await gateway.servers.listen()
  return new URL(base)
}

/**
 * Everything that the server sends until it closes the connection.
 * @param last whether the client says nothing more after the bytes
 */
export async function converse(
  base: URL,
  bytes: string,
  last: 'end' | 'write' = 'write',
): Promise<string> {
  const socket = connect(Number(base.port), base.hostname)
  let received = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk))
  socket.on('error', () => undefined)
  socket[last](bytes)
  await once(socket, 'close')
  return received
}

/** Neither as text nor as the list of numbers that a buffer turns into in a JSON log. */
export function assertNoBytesLogged(gateway: FakeGateway): void {
  // Ports have digits of their own.
  const log = gateway.programLog().replaceAll(/127\.0\.0\.1:\d+/g, '')
  assert.doesNotMatch(log, /411111|52,49,49,49/)
}
