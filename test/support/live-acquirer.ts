import { startBank, type Bank } from '@tollgate/bank'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generate } from 'selfsigned'

/** A certificate and its key, as PEM. */
interface Pem {
  readonly cert: string
  readonly key: string
}

/**
 * A second bank that plays a live acquirer: BCD, TLS with client certificates, no trigger amounts.
 */
export interface LiveAcquirer {
  readonly bank: Bank
  readonly acquirer: string
  /** Folder of the certificates ca, server, client, other-ca and `anonymous`: .pem and .key. */
  readonly folder: string
  /** A working link file's content; `change` replaces parts of it. */
  linkFile(change?: Readonly<Record<string, unknown>>): string
  stop(): Promise<void>
}

export const LIVE_INSTITUTION = '500001'

export async function startLiveAcquirer(name: string): Promise<LiveAcquirer> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-live-'))
  const ca = await authority('Acquirer CA')
  const otherCa = await authority('Other CA')
  const server = await signedBy(ca, '127.0.0.1')
  const client = await signedBy(ca, 'gateway')
  const anonymous = await signedBy(otherCa, 'anonymous')
  const files = {
    'ca.pem': ca.cert,
    'server.pem': server.cert,
    'server.key': server.key,
    'client.pem': client.cert,
    'client.key': client.key,
    'other-ca.pem': otherCa.cert,
    'anonymous.pem': anonymous.cert,
    'anonymous.key': anonymous.key,
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  const bank = await startBank({
    host: '127.0.0.1',
    port: 0,
    folder: join(folder, 'bank'),
    role: {
      profile: 'house-bcd',
      tls: { ...server, clientCa: ca.cert },
      triggers: false,
      institutionId: LIVE_INSTITUTION,
      secret: null,
    },
    now: Date.now,
    warn: () => undefined,
    onFatal: (error) => {
      throw error
    },
  })
  return {
    bank,
    acquirer: LIVE_INSTITUTION,
    folder,
    linkFile: (change = {}) =>
      JSON.stringify({
        name,
        mode: 'live',
        addresses: [`127.0.0.1:${bank.port}`],
        profile: 'house-bcd',
        institutionId: LIVE_INSTITUTION,
        tls: { caFile: 'ca.pem', certFile: 'client.pem', keyFile: 'client.key' },
        ...change,
      }),
    stop: async () => {
      await bank.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The live account of site 1001, which stands for its test account. */
export function liveAccountFile(change: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    id: 3001,
    merchantId: 1,
    mode: 'live',
    link: 'acme-live',
    processorName: 'Acme Acquiring',
    acquirerMerchantId: 'ACME3001',
    categoryCode: '5999',
    name: 'Demo Shop',
    city: 'Springfield',
    country: 'US',
    currencies: ['USD', 'EUR', 'GBP', 'JPY', 'KWD'],
    standsFor: 2001,
    sites: [1001],
    ...change,
  })
}

async function authority(name: string): Promise<Pem> {
  const made = await generate([{ name: 'commonName', value: name }], {
    algorithm: 'sha256',
    keyType: 'ec',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true, critical: true },
    ],
  })
  return { cert: made.cert, key: made.private }
}

async function signedBy(ca: Pem, name: string): Promise<Pem> {
  const made = await generate([{ name: 'commonName', value: name }], {
    algorithm: 'sha256',
    keyType: 'ec',
    ca,
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  })
  return { cert: made.cert, key: made.private }
}

/** A cable to a port on this machine that can be cut: open connections end and none is taken. */
export interface Cable {
  readonly port: number
  /** How many connections are going over it. */
  connections(): number
  /** Holds everything from the port until `letGo`; messages to it still arrive. */
  hold(): void
  letGo(): void
  cut(): Promise<void>
}

export async function openCable(to: number): Promise<Cable> {
  const sockets = new Set<Socket>()
  const farEnds = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(to, '127.0.0.1')
    farEnds.add(far)
    far.on('close', () => farEnds.delete(far))
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  let closed: Promise<void> | null = null
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => sockets.size / 2,
    hold: () => farEnds.forEach((far) => far.pause()),
    letGo: () => farEnds.forEach((far) => far.resume()),
    cut() {
      closed ??= new Promise((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      return closed
    },
  }
}
