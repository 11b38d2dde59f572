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
  /** Form bodies, sent in turn. */
  readonly bodies: readonly string[]
  /** The text in the body of every good answer; any other answer fails the run. */
  readonly expected: string
  /** How many requests are open at any time, each on a connection of its own. */
  readonly connections: number
  readonly warmUpMs: number
  readonly measureMs: number
}

export interface LoadResult {
  readonly requests: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p95Ms: number
  readonly p99Ms: number
  /** Processor time of the load generator itself in the measured time. */
  readonly processorMs: number
}

export type LoadMessage =
  | { readonly kind: 'begun' }
  | { readonly kind: 'measured'; readonly result: LoadResult }
  | { readonly kind: 'failed'; readonly reason: string }

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

/** Keeps every connection busy for the time of the job. Rejects at the first bad answer. */
function measure(job: LoadJob, onBegun: () => void): Promise<LoadResult> {
  const requests = requestsOf(job)
  const histogram = createHistogram()
  const sockets: Socket[] = []
  const { promise, resolve, reject } = Promise.withResolvers<LoadResult>()
  const from = performance.now() + job.warmUpMs
  const until = from + job.measureMs
  let next = 0
  let over = false

  const end = (finish: () => void): void => {
    if (over) return
    over = true
    for (const socket of sockets) socket.destroy()
    finish()
  }
  const fail = (reason: string): void => end(() => reject(new Error(reason)))

  const open = (): void => {
    const socket = connect(job.port, job.host)
    const reader = createAnswerReader()
    let sentAt = 0
    const send = (): void => {
      const request = requests[next++ % requests.length]
      if (request === undefined) return fail('There is no request to send.')
      sentAt = performance.now()
      socket.write(request)
    }
    socket.setNoDelay(true)
    socket.on('connect', send)
    socket.on('error', (error) => fail(`A connection failed: ${error.message}.`))
    socket.on('close', () => fail('The server closed a connection that was to be kept.'))
    socket.on('data', (chunk: Buffer) => {
      try {
        const answer = reader.push(chunk)
        if (answer === null) return
        if (!answer.body.includes(job.expected)) {
          const shown = answer.body.slice(0, SHOWN_OF_A_BAD_ANSWER)
          return fail(`An answer was not ${job.expected} but ${answer.statusLine}: ${shown}`)
        }
        const now = performance.now()
        if (now >= from && now < until) histogram.record(now - sentAt)
        send()
      } catch (error) {
        fail(String(error))
      }
    })
    sockets.push(socket)
  }
  for (let opened = 0; opened < job.connections; opened += 1) open()
  let usedBefore = process.cpuUsage()
  setTimeout(() => {
    usedBefore = process.cpuUsage()
    onBegun()
  }, from - performance.now())
  setTimeout(
    () =>
      end(() => {
        if (histogram.count === 0) return reject(new Error('No answer came in the measured time.'))
        const used = process.cpuUsage(usedBefore)
        resolve({
          requests: histogram.count,
          perSecond: histogram.count / (job.measureMs / 1_000),
          p50Ms: histogram.percentileMs(0.5),
          p95Ms: histogram.percentileMs(0.95),
          p99Ms: histogram.percentileMs(0.99),
          processorMs: (used.user + used.system) / 1_000,
        })
      }),
    until - performance.now(),
  )
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
