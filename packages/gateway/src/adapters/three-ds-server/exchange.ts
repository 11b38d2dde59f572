import { maskNumbers } from '../../base/card-masking.ts'
import type { Secret } from '../../base/secret.ts'
import { inconsistencyOf } from '../../domain/three-ds/consistency.ts'
import type { MessageVersion, TransStatus } from '../../domain/three-ds/trans-status.ts'
import { SIMULATOR_REFERENCE, type ThreeDsDirectory } from '../../usecases/three-ds/directory.ts'
import type {
  AuthenticationQuestion,
  AuthenticationReply,
} from '../../usecases/three-ds/three-ds-server.ts'
import { buildAuthenticationRequest, type OwnAddresses } from './authentication-request.ts'
import { readCavv } from './cavv-value.ts'
import type { DirectoryClient } from './directory-client.ts'
import { valueOf, type TableVersion } from './field-rule.ts'
import { decodeText, parseObject } from './json-text.ts'
import type { MessageRecorder } from './message-recorder.ts'
import type { MessageType } from './message-tables.ts'
import {
  erroAbout,
  idsOf,
  isFaultCode,
  MAX_DETAIL,
  ProtocolFault,
  type FaultCode,
  type Message,
} from './protocol-fault.ts'
import { outboundFaults, readMessage } from './read-message.ts'

export interface ExchangeParts {
  readonly recorder: MessageRecorder
  readonly readMs: number
  /** Reports a condition that only operators can fix. */
  readonly alarm: (what: string, facts: Readonly<Record<string, string>>) => void
  readonly warn: (what: string, facts: Readonly<Record<string, string>>) => void
}

/** A Directory Server and the connections to it. */
export interface Reached {
  readonly directory: ThreeDsDirectory
  readonly client: DirectoryClient
}

type Unavailable = Extract<AuthenticationReply, { kind: 'unavailable' }>

const MAX_ANSWER_BYTES = 65_536
const ERRO_READ_MS = 5_000
/** Erros that say that our message or our set-up is wrong. */
const OUR_FAULT = new Set(['201', '203', '204', '304', '306'])
const ASKED_FOR_INFORMATION = new Set(['05', '06', '07'])
const DATA_ONLY = '06'

/** Sends the AReq of a question and judges what comes back. Never rejects. */
export async function authenticate(
  parts: ExchangeParts,
  { client, directory }: Reached,
  question: AuthenticationQuestion,
  own: OwnAddresses,
): Promise<AuthenticationReply> {
  const { alarm, recorder, warn } = parts
  const facts = { directory: directory.name, serverTransId: question.serverTransId }
  const built = buildAuthenticationRequest(question, directory, own)
  if ('missing' in built) {
    const detail = `no AReq ${question.version} without ${built.missing.join(', ')}`
    warn('3-D Secure can not be asked for', { ...facts, detail })
    return { kind: 'unavailable', cause: '201', detail }
  }
  const faults = outboundFaults(built.message, 'AReq', question.version)
  if (faults.length > 0) {
    const detail = `the AReq would not be right: ${faults.join(', ')}`
    alarm('an AReq was not sent', { ...facts, detail })
    return { kind: 'unavailable', cause: '203', detail }
  }
  recorder.record('out', built.message)
  const result = await client.post(JSON.stringify(built.message), {
    readMs: parts.readMs,
    maxBytes: MAX_ANSWER_BYTES,
  })
  const failure = failureOf(result)
  if (failure !== null || result.kind !== 'answer') {
    warn('a Directory Server gave no answer', { ...facts, detail: failure?.detail ?? '' })
    return failure ?? unavailable('405', 'no answer')
  }
  let message: Message = {}
  let isRecorded = false
  try {
    const json = decodeText(result.body)
    message = parseObject(json)
    if (valueOf(message, 'messageType') === 'Erro') {
      recorder.record('in', message)
      return erroReply(parts, facts, message)
    }
    const answer = readAnswer(message, json, built.message, question.version)
    recorder.record('in', answer)
    isRecorded = true
    checkAnswer(answer, built.message, directory, question)
    return replyOf(answer)
  } catch (error) {
    if (!(error instanceof ProtocolFault)) throw error
    if (!isRecorded) recorder.unreadable(question.serverTransId, message, error)
    warn('an ARes can not be used', { ...facts, code: error.code, detail: error.detail })
    void sendErro(parts, client, error, message, question.version, idsOf(built.message))
    return unavailable(error.code, `the answer of ${directory.name}: ${error.detail}`)
  }
}

/** Sends an Erro about a message. Never rejects; no caller waits for the answer. */
export async function sendErro(
  parts: Pick<ExchangeParts, 'recorder'>,
  client: DirectoryClient,
  fault: Pick<ProtocolFault, 'code' | 'detail'>,
  about: Message,
  version: MessageVersion,
  ids: Readonly<Record<string, string>>,
): Promise<void> {
  const erro = erroAbout(fault, about, version, ids)
  parts.recorder.record('out', erro)
  await client.post(JSON.stringify(erro), { readMs: ERRO_READ_MS, maxBytes: MAX_ANSWER_BYTES })
}

function failureOf(result: Awaited<ReturnType<DirectoryClient['post']>>): Unavailable | null {
  switch (result.kind) {
    case 'not_connected':
      return unavailable('405', `no connection: ${result.reason}`)
    case 'broken':
      return unavailable('405', `the connection broke: ${result.reason}`)
    case 'timed_out':
      return unavailable('402', 'no answer in time')
    case 'too_long':
      return unavailable('101', 'the answer is too long')
    case 'answer':
      return result.status === 200 ? null : unavailable('403', `HTTP ${result.status}`)
  }
}

function unavailable(cause: string, detail: string): Unavailable {
  return { kind: 'unavailable', cause, detail }
}

function erroReply(
  { alarm, warn }: ExchangeParts,
  facts: Readonly<Record<string, string>>,
  erro: Message,
): Unavailable {
  const code = valueOf(erro, 'errorCode')
  const cause = isFaultCode(code) ? code : '403'
  const detail = maskNumbers(valueOf(erro, 'errorDetail')).slice(0, MAX_DETAIL)
  const reported = { ...facts, code, detail, component: valueOf(erro, 'errorComponent') }
  if (OUR_FAULT.has(code))
    alarm('a Directory Server refused an AReq: look at what is set up', reported)
  else warn('a Directory Server answered with an Erro', reported)
  return unavailable(cause, `Erro ${code}: ${detail}`)
}

/** The elements of an ARes that belongs to the AReq. */
function readAnswer(message: Message, json: string, areq: Message, version: TableVersion): Message {
  const type: MessageType = 'ARes'
  const known = { messageCategory: areq['messageCategory'] }
  const { elements } = readMessage(message, json, { type, version, known })
  if (valueOf(elements, 'threeDSServerTransID') !== valueOf(areq, 'threeDSServerTransID')) {
    throw new ProtocolFault('301', 'threeDSServerTransID')
  }
  return elements
}

/**
 * Facts outside every table: the requested elements, the issuer of the card, and the Directory
 * Server.
 */
function checkAnswer(
  answer: Message,
  areq: Message,
  directory: ThreeDsDirectory,
  { pan }: AuthenticationQuestion,
): void {
  const status = valueOf(answer, 'transStatus') as TransStatus | 'D'
  const preference = valueOf(areq, 'threeDSRequestorChallengeInd')
  const isUnrequested =
    status === 'D' ||
    (status === 'I' && !ASKED_FOR_INFORMATION.has(preference)) ||
    (status === 'C' && preference === DATA_ONLY)
  if (isUnrequested) throw new ProtocolFault('203', 'transStatus')
  for (const name of ['dsReferenceNumber', 'acsReferenceNumber']) {
    if (directory.mode === 'live' && SIMULATOR_REFERENCE.test(valueOf(answer, name))) {
      throw new ProtocolFault('303', name)
    }
  }
  if (status === 'C' && !isBrowserHost(directory, valueOf(answer, 'acsURL'))) {
    throw new ProtocolFault('203', 'acsURL')
  }
  const wrong = inconsistencyOf({
    brand: pan.brand,
    status: status as TransStatus,
    eci: valueOf(answer, 'eci'),
    hasCavv: Object.hasOwn(answer, 'authenticationValue'),
    isPayment: valueOf(areq, 'messageCategory') === '01',
  })
  if (wrong !== null) throw new ProtocolFault(wrong.errorCode satisfies FaultCode, wrong.element)
}

/** Whether browsers may be sent to an address that this Directory Server hands on. */
export function isBrowserHost({ browserHosts }: ThreeDsDirectory, url: string): boolean {
  return browserHosts === null || (URL.canParse(url) && browserHosts.includes(new URL(url).host))
}

function replyOf(answer: Message): AuthenticationReply {
  const cavv: Secret | null = readCavv(answer)
  return {
    kind: 'answered',
    status: valueOf(answer, 'transStatus') as TransStatus,
    reason: valueOf(answer, 'transStatusReason'),
    eci: valueOf(answer, 'eci'),
    cavv,
    dsTransId: valueOf(answer, 'dsTransID'),
    acsTransId: valueOf(answer, 'acsTransID'),
    acsUrl: valueOf(answer, 'acsURL'),
    cardholderInfo: valueOf(answer, 'cardholderInfo'),
  }
}
