import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, request, type RequestOptions, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  openCertificates,
  type Certificates,
} from '../../../packages/bank/src/three-ds/certificates.ts'

export type Message = Readonly<Record<string, unknown>>

/** One message as it came, byte for byte. */
export interface Recorded {
  readonly text: string
  readonly message: Message
  readonly headers: IncomingMessage['headers']
}

/** An answer: a message, text as it stands, or a test's own handling of the connection. */
export type Reply = Message | string | ((response: ServerResponse) => void)

/** A Directory Server that keeps whole messages, and answers as the test decides. */
export interface RecordingDirectory {
  /** A DATA_DIR for a gateway: it finds this Directory Server as it finds the simulated one. */
  readonly dataDir: string
  readonly certificates: Certificates
  readonly received: readonly Recorded[]
  /** The page of its issuer, which an ARes may send cardholders to. */
  readonly acsUrl: string
  /** AReqs that came, oldest first. */
  questions(): readonly Message[]
  /** Sets the answer to AReqs from now on; `aresOf(areq, Y)` by default. */
  answerWith(reply: (areq: Message) => Reply | Promise<Reply>): void
  /** Sets the answer to PReqs from now on; by default, the ranges below. */
  listWith(reply: (preq: Message) => Reply): void
  /** Posts something to the address for results of challenges; by default, as the DS would. */
  sendResult(
    url: string,
    body: Message | string,
    options?: RequestOptions,
  ): Promise<{ status: number; text: string; message: Message }>
  close(): Promise<void>
}

const VERSIONS = { dsStartProtocolVersion: '2.1.0', dsEndProtocolVersion: '2.2.0' }

/** Ranges of the public test cards of 3-D Secure. */
export function rangesOf(methodUrl: string): Message[] {
  return ['400000000000', '520000000000'].flatMap((front) => [
    {
      startRange: `${front}1000`,
      endRange: `${front}1999`,
      acsStartProtocolVersion: '2.1.0',
      acsEndProtocolVersion: '2.1.0',
      threeDSMethodURL: methodUrl,
    },
    {
      startRange: `${front}2000`,
      endRange: `${front}2999`,
      acsStartProtocolVersion: '2.1.0',
      acsEndProtocolVersion: '2.2.0',
      threeDSMethodURL: methodUrl,
    },
  ])
}

/** Ids and references that every answer to an AReq has. */
export function answerTo(areq: Message, more: Message): Message {
  return {
    messageType: 'ARes',
    messageVersion: areq['messageVersion'],
    threeDSServerTransID: areq['threeDSServerTransID'],
    dsTransID: randomUUID(),
    acsTransID: randomUUID(),
    dsReferenceNumber: 'SIM_DS_0001',
    acsReferenceNumber: 'SIM_ACS_0001',
    ...more,
  }
}

const VALUE = Buffer.alloc(20, 7).toString('base64')

/** A good ARes of a status; ECI as the brand has it. One of a challenge lacks its acsURL still. */
export function aresOf(areq: Message, transStatus: string, more: Message = {}): Message {
  const isMastercard = String(areq['acctNumber']).startsWith('5')
  const eci = { Y: isMastercard ? '02' : '05', A: isMastercard ? '01' : '06' }[transStatus]
  const value = eci === undefined ? {} : { eci, authenticationValue: VALUE }
  const reason = ['N', 'U', 'R'].includes(transStatus) ? { transStatusReason: '01' } : {}
  const challenge =
    transStatus === 'C' ? { acsChallengeMandated: 'Y', authenticationType: '02' } : {}
  return answerTo(areq, { transStatus, ...value, ...reason, ...challenge, ...more })
}

/** The RReq of a challenge that an ARes asked for. */
export function rreqOf(ares: Message, transStatus: string, more: Message = {}): Message {
  const good = { eci: '05', authenticationValue: VALUE }
  return {
    messageType: 'RReq',
    messageVersion: ares['messageVersion'],
    threeDSServerTransID: ares['threeDSServerTransID'],
    dsTransID: ares['dsTransID'],
    acsTransID: ares['acsTransID'],
    messageCategory: '01',
    transStatus,
    ...(['Y', 'A'].includes(transStatus)
      ? { ...good, eci: transStatus === 'Y' ? '05' : '06' }
      : { transStatusReason: '01' }),
    authenticationType: '02',
    interactionCounter: '01',
    ...more,
  }
}

export interface DirectoryChanges {
  /** TLS differs from the usual: another certificate. */
  readonly tls?: ServerOptions
}

/** Starts one on a free port, with certificates of its own. */
export async function startRecordingDirectory({
  tls = {},
}: DirectoryChanges = {}): Promise<RecordingDirectory> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-recording-directory-'))
  const folder = join(dataDir, 'bank', 'three-ds')
  const certificates = await openCertificates(folder, Date.now(), ['localhost'])
  const received: Recorded[] = []
  let methodUrl = ''
  let onQuestion: (areq: Message) => Reply | Promise<Reply> = (areq) => aresOf(areq, 'Y')
  let onList: (preq: Message) => Reply = (preq) => ({
    messageType: 'PRes',
    messageVersion: preq['messageVersion'],
    threeDSServerTransID: preq['threeDSServerTransID'],
    dsTransID: randomUUID(),
    serialNum: '1',
    ...VERSIONS,
    cardRangeData: rangesOf(methodUrl),
  })
  const server = createServer(
    {
      ...certificates.ds,
      ca: certificates.ca,
      requestCert: true,
      rejectUnauthorized: true,
      ...tls,
    },
    (incoming, response) => {
      void (async () => {
        let text = ''
        for await (const part of incoming) text += String(part)
        const message = readMessage(text)
        received.push({ text, message, headers: incoming.headers })
        const type = message['messageType']
        if (type !== 'AReq' && type !== 'PReq') return void response.writeHead(200).end()
        const reply = type === 'AReq' ? await onQuestion(message) : onList(message)
        if (typeof reply === 'function') return reply(response)
        response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' })
        response.end(typeof reply === 'string' ? reply : JSON.stringify(reply))
      })().catch(() => response.destroy())
    },
  ).listen(0)
  await once(server, 'listening')
  server.on('tlsClientError', () => undefined)
  const base = `https://localhost:${(server.address() as AddressInfo).port}`
  methodUrl = `${base}/method`
  const addresses = {
    dsUrl: `${base}/ds`,
    acsBackUrl: `${base}/back`,
    acsUrl: `${base}/creq`,
    methodUrl,
  }
  writeFileSync(join(folder, 'addresses.json'), JSON.stringify(addresses), { mode: 0o600 })
  return {
    dataDir,
    certificates,
    received,
    acsUrl: addresses.acsUrl,
    questions: () =>
      received.map(({ message }) => message).filter(({ messageType }) => messageType === 'AReq'),
    answerWith: (reply) => (onQuestion = reply),
    listWith: (reply) => (onList = reply),
    async sendResult(url, body, options = {}) {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const headers = { 'Content-Type': 'application/json; charset=utf-8' }
      const { cert, key } = certificates['ds-client']
      const agent = { agent: false, ca: certificates.ca, cert, key }
      const outgoing = request(url, { method: 'POST', headers, ...agent, ...options })
      outgoing.end(text)
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      let answer = ''
      for await (const part of incoming) answer += String(part)
      return { status: incoming.statusCode ?? 0, text: answer, message: readMessage(answer) }
    },
    async close() {
      server.closeAllConnections()
      server.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

function readMessage(text: string): Message {
  try {
    return Object(JSON.parse(text)) as Message
  } catch {
    return {}
  }
}
