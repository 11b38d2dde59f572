// The load generator: a process of its own, so that its work is not counted as the server's. One
// message sets its work. It reports when the measured time begins, then its measurements or the
// error.
import { connect, type Socket } from 'node:net'
import { createAnswerReader } from './answer-reader.ts'
import { createHistogram } from './histogram.ts'

export interface LoadJob {
  readonly host: string
  readonly port: number
  readonly path: string
  /** Form bodies, sent in turn, over and over. */
  readonly bodies: readonly string[]
  /** Whether each body is sent once only, as with captures: each needs an order of its own. */
  readonly isEachSentOnce: boolean
  /** A pattern with one group that is collected from every good answer; null for none. */
  readonly collect: string | null
  /** Whether answers 503 with `Retry-After` are counted rather than fail the run. */
  readonly mayBeRefused: boolean
  /** The text in the body of every good answer; any other answer fails the run. */
  readonly expected: string
  /** How many requests are open at most, each on a connection of its own. */
  readonly connections: number
  /**
   * Requests begin at this rate, however late the answers are, and wait for a free connection.
   * Their time counts from when they were due. Null: each connection sends at every answer.
   */
  readonly ratePerSecond: number | null
  readonly warmUpMs: number
  readonly measureMs: number
}

export interface LoadResult {
  readonly requests: number
  /** Requests that were answered 503 in the measured time. */
  readonly refused: number
  /** Their 99th percentile, from the moment that each was sent; 0 without any. */
  readonly refusedP99Ms: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
  /** Processor time of the load generator itself in the measured time. */
  readonly processorMs: number
  readonly collected: readonly string[]
}

export type LoadMessage =
  | { readonly kind: 'begun' }
  | { readonly kind: 'measured'; readonly result: LoadResult }
  | { readonly kind: 'failed'; readonly reason: string }

const REFUSAL = /^HTTP\/1\.1 503 [^]*\r\nretry-after: *\d+\r\n/i

/** An answer to a payment holds no card number, but only its beginning is worth a line. */
const SHOWN_OF_A_BAD_ANSWER = 300

function requestsOf({ host, port, path, bodies }: LoadJob): readonly Buffer[] {
  return bodies.map((body) =>
    Buffer.from(
      `POST ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\n` +
        'Content-Type: application/x-www-form-urlencoded\r\n' +
        `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    ),
  )
}

/** The bodies' requests in turn; null when each was sent and none may be repeated. */
function nextOf(requests: readonly Buffer[], isEachSentOnce: boolean): () => Buffer | null {
  let next = 0
  return () => {
    const at = next++
    if (isEachSentOnce) return requests[at] ?? null
    return requests[at % requests.length] ?? null
  }
}

/** When requests are due at a fixed rate, from the first call of `take` on. */
function dueTimes(ratePerSecond: number): { take(now: number): number | null } {
  const stepMs = 1_000 / ratePerSecond
  let next: number | null = null
  return {
    take(now) {
      next ??= now
      if (next > now) return null
      const due = next
      next += stepMs
      return due
    },
  }
}

/** Loads the server for the time of the job. Rejects at the first bad answer. */
function measure(job: LoadJob, onBegun: () => void): Promise<LoadResult> {
  const next = nextOf(requestsOf(job), job.isEachSentOnce)
  const collect = job.collect === null ? null : new RegExp(job.collect)
  const due = job.ratePerSecond === null ? null : dueTimes(job.ratePerSecond)
  const histogram = createHistogram()
  const refusals = createHistogram()
  const collected: string[] = []
  const sockets: Socket[] = []
  const idle: ((dueAt: number) => void)[] = []
  /** Due times for which every connection was in use. */
  const late: number[] = []
  const { promise, resolve, reject } = Promise.withResolvers<LoadResult>()
  const from = performance.now() + job.warmUpMs
  const until = from + job.measureMs
  let over = false

  const end = (finish: () => void): void => {
    if (over) return
    over = true
    clearInterval(starts)
    clearTimeout(beginning)
    clearTimeout(ending)
    for (const socket of sockets) socket.destroy()
    finish()
  }
  const fail = (reason: string): void => end(() => reject(new Error(reason)))

  /** @param firstDueAt the due time of its first request; null to take the next. */
  const open = (firstDueAt: number | null): void => {
    const socket = connect(job.port, job.host)
    const reader = createAnswerReader()
    let dueAt = 0
    let sentAt = 0
    const send = (at: number): void => {
      const request = next()
      if (request === null) return finish()
      dueAt = at
      sentAt = performance.now()
      socket.write(request)
    }
    const proceed = (): void => {
      if (due === null) return send(performance.now())
      const at = late.shift() ?? due.take(performance.now())
      if (at === null) idle.push(send)
      else send(at)
    }
    socket.setNoDelay(true)
    socket.on('connect', () => (firstDueAt === null ? proceed() : send(firstDueAt)))
    socket.on('error', (error) => fail(`A connection failed: ${error.message}.`))
    socket.on('close', () => fail('The server closed a connection that was to be kept.'))
    socket.on('data', (chunk: Buffer) => {
      try {
        const answer = reader.push(chunk)
        if (answer === null) return
        const now = performance.now()
        const isMeasured = now >= from && now < until
        if (job.mayBeRefused && REFUSAL.test(answer.head)) {
          if (isMeasured) refusals.record(now - sentAt)
          return proceed()
        }
        if (!answer.body.includes(job.expected)) {
          const shown = answer.body.slice(0, SHOWN_OF_A_BAD_ANSWER)
          return fail(`An answer was not ${job.expected} but ${answer.statusLine}: ${shown}`)
        }
        if (isMeasured) histogram.record(now - dueAt)
        const [, value] = collect?.exec(answer.body) ?? []
        if (value !== undefined) collected.push(value)
        proceed()
      } catch (error) {
        fail(String(error))
      }
    })
    sockets.push(socket)
  }
  if (due === null) for (let at = 0; at < job.connections; at += 1) open(null)
  /**
   * Sends what has become due, on new connections where none is idle. One that is open without a
   * request would be closed by the server.
   */
  const starts = setInterval(() => {
    if (due === null) return
    for (let at = due.take(performance.now()); at !== null; at = due.take(performance.now())) {
      const free = idle.pop()
      if (free !== undefined) free(at)
      else if (sockets.length < job.connections) open(at)
      else late.push(at)
    }
  }, 1)
  let usedBefore = process.cpuUsage()
  const beginning = setTimeout(() => {
    usedBefore = process.cpuUsage()
    onBegun()
  }, from - performance.now())
  /** At the end of the time, or when requests that are sent once have all been sent. */
  const finish = (): void => {
    const measuredMs = Math.min(performance.now(), until) - from
    end(() => {
      if (histogram.count === 0) return reject(new Error('No answer came in the measured time.'))
      const used = process.cpuUsage(usedBefore)
      resolve({
        requests: histogram.count,
        refused: refusals.count,
        refusedP99Ms: refusals.count === 0 ? 0 : refusals.percentileMs(0.99),
        perSecond: histogram.count / (measuredMs / 1_000),
        p50Ms: histogram.percentileMs(0.5),
        p95Ms: histogram.percentileMs(0.95),
        p99Ms: histogram.percentileMs(0.99),
        p999Ms: histogram.percentileMs(0.999),
        processorMs: (used.user + used.system) / 1_000,
        collected,
      })
    })
  }
  const ending = setTimeout(finish, until - performance.now())
  return promise
}

process.once('message', (job: LoadJob) => {
  const report = (message: LoadMessage): void => {
    process.send?.(message, undefined, undefined, () => process.disconnect?.())
  }
  measure(job, () => process.send?.({ kind: 'begun' } satisfies LoadMessage)).then(
    (result) => report({ kind: 'measured', result }),
    (error: unknown) =>
      report({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) }),
  )
})
