import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type pg from 'pg'
import type { Chance } from './chance.ts'
import type { ReadEvent } from './event-feed.ts'
import { pause } from './repeated-request.ts'
import type { Stage } from './stage.ts'

export interface WebhookWork {
  /** Requests that arrived, repeats among them, in the sequence of their arrival. */
  readonly arrived: readonly ReadEvent[]
  /** Waits until every event of the feed is delivered; a sentence unless that happens in time. */
  untilDelivered(deadlineMs: number): Promise<readonly string[]>
  /** Differences from the events that a shop read. */
  compare(events: readonly ReadEvent[]): readonly string[]
  stop(): Promise<void>
}

const SITE = '1001'
const LOOK_EVERY_MS = 250
/** How often a shop answers with an error, and how often its answer is lost. */
const ERRORS = 0.03
const LOST = 0.03
/** A fourth attempt is only due after two minutes, and the run waits four in all. */
const MOST_FAILURES = 2

/** Adds an endpoint of all events, and a shop behind it that fails now and then. */
export async function startWebhooks(
  stage: Pick<Stage, 'pool' | 'runCommand'>,
  chance: Chance,
): Promise<WebhookWork> {
  const arrived: ReadEvent[] = []
  const answerTo = answersOfShop(chance)
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const event = JSON.parse(body) as ReadEvent
      arrived.push(event)
      const answer = answerTo(event.id)
      if (answer === 'lost') request.socket.destroy()
      else response.writeHead(answer).end()
    }, ignore)
  })
  await new Promise<void>((listening) => void server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}/webhooks`
  const code = await stage.runCommand(['webhooks', 'add', SITE, url]).ended
  if (code !== 0) throw new Error(`An endpoint could not be added (exit code ${String(code)}).`)
  const startedAt = Date.now()
  return {
    arrived,
    untilDelivered: (deadlineMs) => untilDelivered(stage.pool, deadlineMs),
    compare: (events) =>
      undelivered(
        arrived,
        events.filter(
          ({ recorded_at: at, site_id: site }) =>
            Date.parse(at) > startedAt && (site === null || site === SITE),
        ),
      ),
    stop: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

/** The shop's answer to each event's requests: a failure now and then, at most two of each. */
export function answersOfShop(chance: Pick<Chance, 'happens'>): (id: string) => 204 | 500 | 'lost' {
  const failures = new Map<string, number>()
  return (id) => {
    const before = failures.get(id) ?? 0
    if (before >= MOST_FAILURES) return 204
    const answer = chance.happens(LOST) ? 'lost' : chance.happens(ERRORS) ? 500 : 204
    if (answer !== 204) failures.set(id, before + 1)
    return answer
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

/** A gateway that dies in the middle of a request sends it again. */
function ignore(): void {}

async function untilDelivered(pool: pg.Pool, deadlineMs: number): Promise<readonly string[]> {
  const end = performance.now() + deadlineMs
  let left = 0
  while (performance.now() < end) {
    const { rows } = await pool.query<{ left: number }>(
      `select (select count(*) from webhook_deliveries where state = 'pending')::int
              + (select count(*) from webhook_endpoints e, event_head h
                  where e.position < h.position)::int as left`,
    )
    left = rows[0]?.left ?? 0
    if (left === 0) return []
    await pause(LOOK_EVERY_MS)
  }
  return [`webhooks: ${left} deliveries were still waiting at the end`]
}

/** Events that never arrived, or first arrived behind a later one of their object. */
export function undelivered(
  arrived: readonly ReadEvent[],
  expected: readonly ReadEvent[],
): readonly string[] {
  const ids = new Set<string>()
  const last = new Map<string, number>()
  const early = arrived.flatMap(({ id, object, sequence, type }) => {
    if (ids.has(id)) return []
    ids.add(id)
    const name = `${object.type} ${object.id}`
    const before = last.get(name) ?? 0
    last.set(name, Math.max(before, sequence))
    return sequence > before
      ? []
      : [`webhooks: ${type} of ${name} arrived as number ${sequence}, behind number ${before}`]
  })
  const missing = expected.flatMap(({ id, object, type }) =>
    ids.has(id) ? [] : [`webhooks: ${type} of ${object.type} ${object.id} never arrived`],
  )
  return [...early, ...missing]
}
