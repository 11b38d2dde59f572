import { randomUUID } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import type { CardRangeStore, RangeList } from '../../usecases/three-ds/card-range-store.ts'
import type { ThreeDsDirectory } from '../../usecases/three-ds/directory.ts'
import { applyBatch, commonVersion, indexRanges, type RangeIndex } from './card-ranges.ts'
import type { DirectoryClient } from './directory-client.ts'
import { sendErro, type Reached } from './exchange.ts'
import { TABLE_VERSIONS, valueOf } from './field-rule.ts'
import { decodeText, parseObject } from './json-text.ts'
import type { MessageRecorder } from './message-recorder.ts'
import { idsOf, ProtocolFault, type Message } from './protocol-fault.ts'
import { readMessage } from './read-message.ts'

const HOUR_MS = 3_600_000
/** A Directory Server wants to be asked once in 24 hours at least, and once in an hour at most. */
const REFRESH_AFTER_MS = 23 * HOUR_MS
const RETRY_CONNECTION_MS = 60_000
const READ_MS = 30_000
const LEASE_MS = 120_000
const MAX_PRES_BYTES = 20 * 1_024 * 1_024

export interface RangeCacheParts {
  readonly store: CardRangeStore
  readonly clock: Clock
  readonly recorder: MessageRecorder
  readonly alarm: (what: string, facts: Readonly<Record<string, string>>) => void
  readonly log: (what: string, facts: Readonly<Record<string, string | number>>) => void
}

/** The cached ranges of a Directory Server. */
export interface LoadedRanges {
  readonly revision: number
  readonly refreshedAt: Date | null
  /** Why the last question failed; '' when it did not. */
  readonly lastFault: string
  readonly list: RangeList | null
  readonly index: RangeIndex
}

export interface RangeCache {
  /** Asks each Directory Server that is due; the first process to take it does. */
  refresh(reached: readonly Reached[]): Promise<void>
  /** Takes up what any process has learned. */
  follow(directories: readonly ThreeDsDirectory[]): Promise<void>
  loaded(directory: ThreeDsDirectory): LoadedRanges | null
}

type ListReply =
  | { readonly kind: 'list'; readonly list: RangeList | null }
  | {
      readonly kind: 'failed'
      readonly fault: string
      readonly waitMs: number
      readonly forgetSerial: boolean
    }

/** The card ranges of all Directory Servers: asked for by one process, in the memory of each. */
export function createRangeCache(parts: RangeCacheParts): RangeCache {
  const { alarm, clock, log, store } = parts
  const memory = new Map<string, LoadedRanges>()

  async function refreshOne({ client, directory }: Reached): Promise<void> {
    const now = clock.now()
    const at = (ms: number): Date => new Date(now.getTime() + ms)
    const { name } = directory
    const claimed = await store.claim(name, now, at(-REFRESH_AFTER_MS), at(LEASE_MS))
    if (claimed === null) return
    const before = claimed.serialNum === null ? null : await store.readList(name)
    let reply = await requestList(parts, client, directory, before)
    // The serial number was not recognised: the whole list may be asked for at once.
    if (reply.kind === 'failed' && reply.fault === '307')
      reply = await requestList(parts, client, directory, null)
    if (reply.kind === 'list') {
      await store.save(name, reply.list, now, at(HOUR_MS))
      const ranges = (reply.list ?? before)?.ranges.length ?? 0
      log('card ranges were refreshed', { directory: name, ranges })
      return
    }
    await store.postpone(name, reply.fault, at(reply.waitMs), reply.forgetSerial)
    alarm('card ranges could not be refreshed', { directory: name, fault: reply.fault })
  }

  async function followOne(directory: ThreeDsDirectory): Promise<void> {
    const state = await store.readState(directory.name)
    if (state === null) return
    const known = memory.get(directory.name)
    if (known?.revision === state.revision) {
      memory.set(directory.name, { ...known, ...state })
      return
    }
    const list = state.revision === 0 ? null : await store.readList(directory.name)
    memory.set(directory.name, { ...state, list, index: indexRanges(list?.ranges ?? []) })
  }

  return {
    async refresh(reached) {
      await Promise.all(reached.map(refreshOne))
    },
    async follow(directories) {
      for (const directory of directories) await followOne(directory)
    },
    loaded: ({ name }) => memory.get(name) ?? null,
  }
}

async function requestList(
  { recorder }: RangeCacheParts,
  client: DirectoryClient,
  directory: ThreeDsDirectory,
  before: RangeList | null,
): Promise<ListReply> {
  const version = commonVersion([directory.versions]) ?? TABLE_VERSIONS[0]
  const serialNum = before?.serialNum ?? null
  const preq: Message = {
    messageType: 'PReq',
    messageVersion: version,
    threeDSServerTransID: randomUUID(),
    threeDSServerRefNumber: directory.refNumber,
    ...(directory.operatorId === null ? {} : { threeDSServerOperatorID: directory.operatorId }),
    ...(serialNum === null ? {} : { serialNum }),
  }
  const failed = (fault: string, waitMs = HOUR_MS, forgetSerial = false): ListReply => ({
    kind: 'failed',
    fault,
    waitMs,
    forgetSerial,
  })
  recorder.record('out', preq)
  const result = await client.post(JSON.stringify(preq), {
    readMs: READ_MS,
    maxBytes: MAX_PRES_BYTES,
  })
  if (result.kind === 'not_connected') return failed('405', RETRY_CONNECTION_MS)
  // Whether the question counted for the hour is not known, so it does.
  if (result.kind === 'timed_out') return failed('402')
  if (result.kind === 'broken') return failed('405')
  if (result.kind === 'too_long') return failed('101')
  if (result.status !== 200) return failed('403')
  let message: Message = {}
  try {
    const json = decodeText(result.body)
    message = parseObject(json)
    if (valueOf(message, 'messageType') === 'Erro') {
      recorder.record('in', message)
      const code = valueOf(message, 'errorCode').slice(0, 3) || '403'
      return failed(code, HOUR_MS, code === '307')
    }
    const { elements } = readMessage(message, json, { type: 'PRes', version })
    recorder.record('in', elements)
    if (valueOf(elements, 'threeDSServerTransID') !== valueOf(preq, 'threeDSServerTransID')) {
      throw new ProtocolFault('301', 'threeDSServerTransID')
    }
    const isConfirmed =
      before !== null &&
      elements['cardRangeData'] === undefined &&
      valueOf(elements, 'serialNum') === before.serialNum
    return { kind: 'list', list: isConfirmed ? null : applyBatch(before, elements) }
  } catch (error) {
    if (!(error instanceof ProtocolFault)) throw error
    recorder.unreadable(idsOf(preq)['threeDSServerTransID'] ?? null, message, error)
    void sendErro({ recorder }, client, error, message, version, idsOf(preq))
    // The next question asks for everything, so that a batch that does not fit is not met again.
    return failed(error.code, HOUR_MS, true)
  }
}
