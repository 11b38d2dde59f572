import type { Clock } from '../../base/clock.ts'
import { cardBrand, type CardBrand } from '../../domain/payments/card.ts'
import type { CardRangeStore } from '../../usecases/three-ds/card-range-store.ts'
import type { ResultsCertificate, ThreeDsDirectory } from '../../usecases/three-ds/directory.ts'
import type { ThreeDsMessageJournal } from '../../usecases/three-ds/message-journal.ts'
import type {
  AuthenticationReply,
  ReceiveResult,
  ThreeDsServer,
} from '../../usecases/three-ds/three-ds-server.ts'
import { commonVersion } from './card-ranges.ts'
import { createDirectories } from './directories.ts'
import {
  authenticate,
  isBrowserHost,
  sendErro,
  type ExchangeParts,
  type Reached,
} from './exchange.ts'
import { createMessageRecorder } from './message-recorder.ts'
import { isFaultCode, ProtocolFault } from './protocol-fault.ts'
import { createRangeCache } from './range-cache.ts'
import {
  openResultsListener,
  RESULTS_PATH,
  type ListenerIdentity,
  type ResultsListener,
} from './results-listener.ts'
import { takeResult } from './results.ts'

/** The counters, for monitoring. */
export interface ThreeDsMetrics {
  /** @param outcome a status of the protocol, or `unavailable`. */
  countAuthentication(directory: 'test' | 'live', outcome: string, seconds: number): void
  countResult(outcome: 'stored' | 'refused' | 'failed'): void
  countAlarm(): void
  /** Reads the age of the card ranges, in seconds, whenever the metrics are asked for. */
  watchRanges(
    read: () => readonly { readonly directory: string; readonly ageSeconds: number }[],
  ): void
}

type Facts = Readonly<Record<string, string | number>>

export interface ThreeDsServerOptions {
  readonly clock: Clock
  readonly monotonicMs: () => number
  readonly journal: ThreeDsMessageJournal
  readonly ranges: CardRangeStore
  readonly liveDirectories: readonly ThreeDsDirectory[]
  readonly liveResults: ResultsCertificate | null
  /** Null: the simulator is off. */
  readonly simulatorFolder: string | null
  /** How long an answer to an AReq is waited for. */
  readonly readMs: number
  readonly notificationUrl: string
  readonly results: {
    readonly host: string
    readonly port: number
    readonly mayMove: boolean
    /** Null: this machine, which is where the simulator is. */
    readonly url: string | null
  }
  readonly metrics: ThreeDsMetrics
  readonly log: (level: 'info' | 'warn' | 'error', what: string, facts: Facts) => void
}

export interface RunningThreeDsServer extends ThreeDsServer {
  start(receiveResult: ReceiveResult): Promise<{ readonly resultsUrl: string } | null>
  /**
   * Asks Directory Servers for their card ranges when it is time to; one process at a time does.
   */
  refreshRanges(): Promise<void>
  /** Takes up what has changed: the simulator's addresses, and what was learned of card ranges. */
  follow(): Promise<void>
  stop(): Promise<void>
}

/** A Directory Server does not delay a start: the ranges come later. */
const FIRST_RANGES_MS = 3_000
const LOOK_AGAIN_MS = 50
/** An older list is reported as a fault of its own. */
const STALE_MS = 25 * 3_600_000
const REPORT_STALE_EVERY_MS = 3_600_000

/** The 3DS Server of this process. */
export function createThreeDsServer(options: ThreeDsServerOptions): RunningThreeDsServer {
  const { clock, log, metrics, results } = options
  const recorder = createMessageRecorder(options.journal, clock)
  const directories = createDirectories(options.liveDirectories, options.simulatorFolder)
  const alarm = (what: string, facts: Facts): void => {
    metrics.countAlarm()
    log('error', what, facts)
  }
  const parts: ExchangeParts = {
    recorder,
    readMs: options.readMs,
    alarm,
    warn: (what, facts) => log('warn', what, facts),
  }
  const cache = createRangeCache({
    store: options.ranges,
    clock,
    recorder,
    alarm,
    log: (what, facts) => log('info', what, facts),
  })
  let listener: ResultsListener | null = null
  let receive: ReceiveResult | null = null
  let served = ''
  let serving: Promise<void> | null = null
  let staleReportedAt = Number.NEGATIVE_INFINITY
  const underWay = new Set<Promise<unknown>>()

  metrics.watchRanges(() =>
    directories.all().flatMap(({ directory }) => {
      const at = cache.loaded(directory)?.refreshedAt ?? null
      const ageSeconds =
        at === null ? 0 : Math.max(0, (clock.now().getTime() - at.getTime()) / 1_000)
      // Its addresses are no name for a metric.
      return at === null
        ? []
        : [{ directory: directory.simulated ? 'simulator' : directory.name, ageSeconds }]
    }),
  )

  function resultsUrl(directory: ThreeDsDirectory): string | null {
    if (listener === null) return null
    const here = `https://localhost:${listener.port}${RESULTS_PATH}`
    const isOwn = directory.simulated && options.liveDirectories.length > 0
    return isOwn ? here : (results.url ?? here)
  }

  /**
   * Live Directory Servers know the public name; the simulator, and who gives no name, this
   * machine's.
   */
  function identities(): ListenerIdentity[] {
    const all = directories.all().map(({ directory }) => directory)
    const live = all.filter(({ mode }) => mode === 'live')
    const found: ListenerIdentity[] = []
    if (live.length > 0 && options.liveResults !== null) {
      const { cert, key } = options.liveResults
      found.push({ host: null, cert, key: key.reveal(), directories: live })
    }
    const simulator = all.find(({ simulated }) => simulated)
    if (simulator !== undefined) {
      const { cert, key } = simulator
      const host = found.length === 0 ? null : 'localhost'
      found.push({ host, cert, key: key.reveal(), directories: [simulator] })
    }
    return found
  }

  async function serveResults(): Promise<void> {
    if (receive === null) return
    const receiveResult = receive
    const found = identities()
    if (found.length === 0) return
    const now = JSON.stringify(
      found.map(({ cert, directories: of }) => [cert, of.map(({ ca }) => ca)]),
    )
    if (now === served) return
    if (listener !== null) listener.use(found)
    else {
      listener = await openResultsListener({
        host: results.host,
        port: results.port,
        mayMove: results.mayMove,
        identities: found,
        answer: (body, directory, contentType) =>
          takeResult(
            { recorder, receiveResult, count: metrics.countResult, warn: parts.warn },
            body,
            directory,
            contentType,
          ),
      })
      log('info', 'results of 3-D Secure challenges are taken', {
        host: results.host,
        port: listener.port,
      })
    }
    served = now
  }

  async function look(): Promise<void> {
    await directories.look()
    // Two that look at once would open two of them.
    serving ??= serveResults().finally(() => (serving = null))
    await serving
  }

  const follow = async (): Promise<void> => {
    await look()
    await cache.follow(directories.all().map(({ directory }) => directory))
  }

  const refreshRanges = async (): Promise<void> => {
    await directories.look()
    await cache.refresh(directories.all())
    reportStaleRanges(clock.now().getTime())
  }

  function reportStaleRanges(now: number): void {
    if (now - staleReportedAt < REPORT_STALE_EVERY_MS) return
    for (const { directory } of directories.all()) {
      const at = cache.loaded(directory)?.refreshedAt?.getTime() ?? now
      if (now - at < STALE_MS) continue
      staleReportedAt = now
      alarm('card ranges are out of date', { directory: directory.name })
    }
  }

  /** Until each list is there, or a question about it has failed; another process may be asking. */
  async function awaitRanges(): Promise<void> {
    const isOpen = ({ directory }: Reached): boolean => {
      const loaded = cache.loaded(directory)
      return loaded === null || (loaded.list === null && loaded.lastFault === '')
    }
    const deadline = options.monotonicMs() + FIRST_RANGES_MS
    for (;;) {
      await follow()
      if (!directories.all().some(isOpen) || options.monotonicMs() > deadline) return
      await pause(LOOK_AGAIN_MS)
    }
  }

  function tracked<Result>(work: Promise<Result>): Promise<Result> {
    underWay.add(work)
    return work.finally(() => underWay.delete(work))
  }

  const reach = (mode: 'test' | 'live', brand: CardBrand | null): Reached | null =>
    directories.find(mode, brand)

  /** A method address is for browsers, so it has to be one that they may be sent to. */
  const methodUrlOf = (directory: ThreeDsDirectory, url: string | null): string | null =>
    url !== null && isBrowserHost(directory, url) ? url : null

  return {
    isSetUp: (mode) => directories.all().some(({ directory }) => directory.mode === mode),

    findRange(mode, pan) {
      const digits = pan.reveal()
      const reached = reach(mode, pan.brand)
      if (reached === null) return null
      const { index = null, list = null } = cache.loaded(reached.directory) ?? {}
      const range = index?.find(digits) ?? null
      if (list === null || range === null) return null
      const { dsFrom, dsTo } = list
      return {
        version: commonVersion([
          { from: range.acsFrom, to: range.acsTo },
          { from: dsFrom, to: dsTo },
          reached.directory.versions,
        ]),
        methodUrl: methodUrlOf(reached.directory, range.methodUrl),
      }
    },

    methodUrls(mode, leadingDigits) {
      const reached = reach(mode, cardBrand(leadingDigits))
      if (reached === null) return []
      const ranges = cache.loaded(reached.directory)?.index.startingWith(leadingDigits) ?? []
      const urls = ranges.map(({ methodUrl }) => methodUrlOf(reached.directory, methodUrl))
      return [...new Set(urls.filter((url) => url !== null))]
    },

    async authenticate(question) {
      const { mode } = question.account
      const started = options.monotonicMs()
      const reply = await tracked(requestAuthentication(question))
      const outcome = reply.kind === 'answered' ? reply.status : 'unavailable'
      metrics.countAuthentication(mode, outcome, (options.monotonicMs() - started) / 1_000)
      return reply
    },

    async refuse({ account, pan, serverTransId, version }, errorCode, detail) {
      const reached = reach(account.mode, pan.brand)
      if (reached === null) return
      const fault = new ProtocolFault(isFaultCode(errorCode) ? errorCode : '203', detail)
      const about = { messageType: 'ARes', threeDSServerTransID: serverTransId }
      await tracked(sendErro(parts, reached.client, fault, about, version, {}))
    },

    refreshRanges,
    follow,

    async start(receiveResult) {
      receive = receiveResult
      await follow()
      if (directories.all().length === 0) return null
      const loading = tracked(refreshRanges().then(awaitRanges))
      loading.catch((error: unknown) =>
        log('warn', 'card ranges could not be asked for', { error: String(error) }),
      )
      await Promise.race([loading.catch(() => undefined), pause(FIRST_RANGES_MS)])
      const [first] = directories.all()
      const url = first === undefined ? null : resultsUrl(first.directory)
      return url === null ? null : { resultsUrl: url }
    },

    async stop() {
      await Promise.allSettled(underWay)
      await listener?.close()
      directories.close()
    },
  }

  async function requestAuthentication(
    question: Parameters<ThreeDsServer['authenticate']>[0],
  ): Promise<AuthenticationReply> {
    const reached = reach(question.account.mode, question.pan.brand)
    if (reached === null) {
      const detail = `no Directory Server is set up for this card of ${question.account.mode} accounts`
      return { kind: 'unavailable', cause: '405', detail }
    }
    const url = resultsUrl(reached.directory)
    if (url === null) {
      return {
        kind: 'unavailable',
        cause: '403',
        detail: 'the address for results is not open yet',
      }
    }
    try {
      const own = { resultsUrl: url, notificationUrl: options.notificationUrl }
      return await authenticate(parts, reached, question, own)
    } catch (error) {
      alarm('an authentication failed here', {
        error: error instanceof Error ? error.name : 'unknown',
      })
      return { kind: 'unavailable', cause: '403', detail: 'a fault of this gateway' }
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
