import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { generate } from 'selfsigned'
import type { Certificate } from '../../../src/http/servers/certificate.ts'

/** Options of a test that needs openssl's client. */
export const needsOpenssl = {
  skip: spawnSync('openssl', ['version']).status === 0 ? (false as const) : 'needs openssl',
}

const DEADLINE_MS = 20_000
export const LIVE = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'

/**
 * The whole output of openssl's client for one connection, to which it sends some text. As
 * commands, lines of a single letter are openssl's own: `R` asks for a renegotiation.
 */
export async function sClient(
  port: number,
  args: readonly string[],
  input: string = LIVE,
  as: 'text' | 'commands' = 'text',
): Promise<string> {
  const mode = as === 'text' ? ['-ign_eof'] : []
  const child = spawn('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, ...mode, ...args], {
    timeout: DEADLINE_MS,
    env: { PATH: process.env['PATH'] ?? '', OPENSSL_CONF: '/dev/null' },
  })
  let said = ''
  child.stdout.on('data', (text: Buffer) => (said += text.toString()))
  child.stderr.on('data', (text: Buffer) => (said += text.toString()))
  child.stdin.on('error', () => undefined) // It may be gone before it has read everything.
  if (as === 'text') child.stdin.end(input)
  else child.stdin.write(input)
  const { promise, resolve } = Promise.withResolvers<void>()
  child.once('close', () => resolve())
  await promise
  return said
}

/** The names of every suite that openssl can offer, the weakest included. */
export function offeredSuites(): string[] {
  const listed = spawnSync('openssl', ['ciphers', 'ALL:COMPLEMENTOFALL:@SECLEVEL=0'], {
    encoding: 'utf8',
  })
  return listed.stdout.trim().split(':')
}

interface Issuer extends Certificate {
  /** From the issuer's own certificate up to, but without, the root. */
  readonly chain: string
}

/** An authority, and one below it; what it issues is sent with the certificate of the latter. */
export async function makeAuthority(keyType: 'ec' | 'rsa' = 'ec'): Promise<{
  readonly root: string
  issue(options?: IssueOptions): Promise<Certificate>
}> {
  const root = await signed('Test Root', null, { keyType })
  const lower = await signed('Test Intermediate', { ...root, chain: '' }, { keyType })
  const issuer: Issuer = { ...lower, chain: lower.cert }
  return {
    root: root.cert,
    async issue(options = {}) {
      const { cert, key } = await signed(options.name ?? 'localhost', issuer, {
        ...options,
        keyType,
        isLeaf: true,
      })
      return { cert: `${cert.trim()}\n${issuer.chain}`, key }
    },
  }
}

interface IssueOptions {
  readonly name?: string
  readonly keySize?: number
  readonly from?: Date
  readonly to?: Date
}

async function signed(
  name: string,
  issuer: Issuer | null,
  options: IssueOptions & { readonly keyType: 'ec' | 'rsa'; readonly isLeaf?: boolean },
): Promise<Certificate> {
  const made = await generate([{ name: 'commonName', value: name }], {
    algorithm: 'sha256',
    keyType: options.keyType,
    ...(options.keySize === undefined ? {} : { keySize: options.keySize }),
    ...(options.from === undefined ? {} : { notBeforeDate: options.from }),
    ...(options.to === undefined ? {} : { notAfterDate: options.to }),
    ...(issuer === null ? {} : { ca: issuer }),
    extensions:
      options.isLeaf === true
        ? [
            { name: 'basicConstraints', cA: false, critical: true },
            { name: 'keyUsage', digitalSignature: true, keyEncipherment: true, critical: true },
            {
              name: 'subjectAltName',
              altNames: [
                { type: 2, value: 'localhost' },
                { type: 7, ip: '127.0.0.1' },
              ],
            },
          ]
        : [
            { name: 'basicConstraints', cA: true, critical: true },
            { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
          ],
  })
  return { cert: made.cert, key: made.private }
}

/** The first bytes of a client that offers these suites: for suites that no present openssl has. */
export function helloWith(suites: readonly number[], version = 0x0303): Buffer {
  const extensions = Buffer.concat([
    extension(0x000a, [0x00, 0x06, 0x00, 0x1d, 0x00, 0x17, 0x00, 0x18]),
    extension(0x000b, [0x01, 0x00]),
    extension(0x000d, [0x00, 0x08, 0x04, 0x03, 0x08, 0x04, 0x04, 0x01, 0x02, 0x01]),
    extension(0xff01, [0x00]),
  ])
  const body = Buffer.concat([
    number(version, 2),
    Buffer.alloc(32, 7),
    Buffer.from([0]),
    number(suites.length * 2, 2),
    ...suites.map((suite) => number(suite, 2)),
    Buffer.from([1, 0]),
    number(extensions.length, 2),
    extensions,
  ])
  const message = Buffer.concat([Buffer.from([1]), number(body.length, 3), body])
  return Buffer.concat([Buffer.from([22, 3, 1]), number(message.length, 2), message])
}

/** The number that openssl offers beside the suites: it renegotiates safely. */
export const RENEGOTIATION_SIGN = 0x00ff

/** The numbers of the suites that a client offers in its first bytes. */
export function suitesOfHello(hello: Buffer): number[] {
  // Five bytes of the record, four of the message, the version and the random; then the session.
  const lengthAt = 44 + hello.readUInt8(43)
  const count = hello.readUInt16BE(lengthAt) / 2
  return Array.from({ length: count }, (_, at) => hello.readUInt16BE(lengthAt + 2 + at * 2))
}

/** The first bytes of a client that connects to a server, which only hangs up. */
export async function firstBytesOf(run: (port: number) => Promise<unknown>): Promise<Buffer> {
  const first = Promise.withResolvers<Buffer>()
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (bytes: Buffer) => {
      first.resolve(bytes)
      socket.destroy()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  try {
    await run((server.address() as AddressInfo).port)
    return await first.promise
  } finally {
    server.close()
  }
}

function extension(type: number, bytes: readonly number[]): Buffer {
  return Buffer.concat([number(type, 2), number(bytes.length, 2), Buffer.from(bytes)])
}

function number(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}
