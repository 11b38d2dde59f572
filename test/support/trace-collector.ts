import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { untilSeen } from './eventually.ts'

/** One span, as a collector reads it. */
export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | null
  readonly name: string
  readonly kind: number
  readonly startNano: bigint
  readonly endNano: bigint
  readonly failed: boolean
  readonly facts: Readonly<Record<string, string>>
}

/** The collector of a test, which takes OTLP over HTTP in its JSON encoding. */
export interface TraceCollector {
  readonly url: string
  /** The requests that it has taken, as they came. */
  readonly bodies: readonly string[]
  /** Requests, those that it did not take included. */
  requests(): number
  /** From now on it answers with this status, or not at all. */
  behave(how: number | 'silent'): void
  spans(): readonly CollectedSpan[]
  /** Waits for a trace whose first span has this fact; gives its spans, that span first. */
  untilTrace(fact: string, value: string): Promise<readonly CollectedSpan[]>
  /** Closes the port; `open` opens the same one again. */
  close(): Promise<void>
  open(): Promise<void>
}

interface OtlpValue {
  readonly stringValue?: string
  readonly intValue?: string
}

interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status?: { readonly code: number }
  readonly attributes?: readonly { readonly key: string; readonly value: OtlpValue }[]
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

export async function startTraceCollector(): Promise<TraceCollector> {
  const bodies: string[] = []
  let requests = 0
  let behaviour: number | 'silent' = 200
  const create = () =>
    createServer((request, response) => {
      const parts: Buffer[] = []
      request.on('data', (part: Buffer) => parts.push(part))
      request.on('end', () => {
        requests += 1
        if (behaviour === 'silent') return
        if (behaviour === 200) bodies.push(Buffer.concat(parts).toString())
        response.writeHead(behaviour, { 'content-type': 'application/json' }).end('{}')
      })
    })
  let server = create()
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    return (server.address() as AddressInfo).port
  }
  const port = await listen(0)
  const spans = (): CollectedSpan[] =>
    bodies
      .flatMap((body) => (JSON.parse(body) as OtlpRequest).resourceSpans)
      .flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans: some }) => some))
      .map(readSpan)
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    bodies,
    requests: () => requests,
    behave(how) {
      behaviour = how
    },
    spans,
    async untilTrace(fact, value) {
      const isFirst = ({ facts }: CollectedSpan): boolean => facts[fact] === value
      const all = await untilSeen(
        `a span comes whose ${fact} is ${value}`,
        () => spans(),
        (seen) => seen.some(isFirst),
      )
      const first = all.find(isFirst)
      return all
        .filter(({ traceId }) => traceId === first?.traceId)
        .sort((left, right) => Number(right === first) - Number(left === first))
    },
    async close() {
      if (!server.listening) return
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
    async open() {
      server = create()
      await listen(port)
    },
  }
}

function readSpan(span: OtlpSpan): CollectedSpan {
  const facts = (span.attributes ?? []).map(({ key, value }) => [
    key,
    value.stringValue ?? value.intValue ?? '',
  ])
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentId: span.parentSpanId ?? null,
    name: span.name,
    kind: span.kind,
    startNano: BigInt(span.startTimeUnixNano),
    endNano: BigInt(span.endTimeUnixNano),
    failed: span.status?.code === 2,
    facts: Object.fromEntries(facts) as Record<string, string>,
  }
}
