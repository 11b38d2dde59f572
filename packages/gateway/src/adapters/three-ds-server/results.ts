import { createHash } from 'node:crypto'
import type { ThreeDsDirectory } from '../../usecases/three-ds/directory.ts'
import type { ChallengeResult, ReceiveResult } from '../../usecases/three-ds/three-ds-server.ts'
import { readCavv } from './cavv-value.ts'
import { TABLE_VERSIONS, valueOf } from './field-rule.ts'
import { decodeText, parseObject } from './json-text.ts'
import type { MessageRecorder } from './message-recorder.ts'
import { erroAbout, ProtocolFault, type Message } from './protocol-fault.ts'
import { outboundFaults, readMessage } from './read-message.ts'

export interface ResultParts {
  readonly recorder: MessageRecorder
  readonly receiveResult: ReceiveResult
  readonly count: (outcome: 'stored' | 'refused' | 'failed') => void
  readonly warn: (what: string, facts: Readonly<Record<string, string>>) => void
}

/** A Directory Server waits three seconds, and resends a result without an answer. */
const ANSWER_WITHIN_MS = 2_500

/** Takes an RReq; gives the text of the RRes, or of an Erro. Never rejects. */
export async function takeResult(
  parts: ResultParts,
  body: Buffer,
  directory: ThreeDsDirectory,
  contentType: string,
): Promise<string> {
  const { count, receiveResult, recorder, warn } = parts
  let message: Message = {}
  let answer: Message
  let isRecorded = false
  try {
    if (!/^application\/json\s*(;|$)/i.test(contentType)) {
      throw new ProtocolFault('101', 'The Content-Type must be application/json.')
    }
    const json = decodeText(body)
    message = parseObject(json)
    const { elements, version } = readMessage(message, json, { type: 'RReq' })
    recorder.record('in', elements)
    isRecorded = true
    const outcome = await inTime(receiveResult(resultOf(elements, directory)))
    if (outcome === 'unknown')
      throw new ProtocolFault('301', 'threeDSServerTransID,dsTransID,acsTransID')
    if (typeof outcome === 'object') throw new ProtocolFault(outcome.errorCode, outcome.detail)
    answer = {
      messageType: 'RRes',
      messageVersion: version,
      threeDSServerTransID: elements['threeDSServerTransID'],
      dsTransID: elements['dsTransID'],
      acsTransID: elements['acsTransID'],
      resultsStatus: '01',
    }
    if (outboundFaults(answer, 'RRes', version).length > 0) throw new ProtocolFault('403', 'RRes')
    count('stored')
  } catch (error) {
    const isTheirs = error instanceof ProtocolFault
    // A fault of ours is transient for them: they bring the result again.
    const fault = isTheirs ? error : new ProtocolFault('403', 'The result could not be kept.')
    if (!isRecorded) recorder.unreadable(null, message, fault)
    warn('a result of a challenge was not taken', {
      directory: directory.name,
      code: fault.code,
      detail: fault.detail,
      ...(isTheirs ? {} : { error: String(error) }),
    })
    count(fault.code === '403' ? 'failed' : 'refused')
    const version = TABLE_VERSIONS.find((spoken) => spoken === message['messageVersion'])
    answer = erroAbout(fault, message, version ?? '2.2.0')
  }
  recorder.record('out', answer)
  return JSON.stringify(answer)
}

function resultOf(elements: Message, { brands, mode }: ThreeDsDirectory): ChallengeResult {
  return {
    mode,
    brands,
    serverTransId: valueOf(elements, 'threeDSServerTransID').toLowerCase(),
    dsTransId: valueOf(elements, 'dsTransID').toLowerCase(),
    acsTransId: valueOf(elements, 'acsTransID').toLowerCase(),
    version: valueOf(elements, 'messageVersion'),
    messageCategory: valueOf(elements, 'messageCategory'),
    status: valueOf(elements, 'transStatus') as ChallengeResult['status'],
    reason: valueOf(elements, 'transStatusReason'),
    eci: valueOf(elements, 'eci'),
    cavv: readCavv(elements),
    challengeCancel: valueOf(elements, 'challengeCancel'),
    digest: digestOf(elements),
  }
}

/** Of everything that a result says; elements that were read are in the sequence of their table. */
function digestOf(elements: Message): string {
  return createHash('sha256').update(JSON.stringify(elements)).digest('hex')
}

async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => late.reject(new ProtocolFault('403', 'The result could not be kept in time.')),
    ANSWER_WITHIN_MS,
  )
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
