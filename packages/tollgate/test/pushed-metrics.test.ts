import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { eventually } from '../../../test/support/eventually.ts'
import { readMetricsText } from '../src/metrics-text.ts'
import { OtlpMetrics } from '../src/otlp-metrics.ts'
import { pushMetrics } from '../src/pushed-metrics.ts'

const STARTED = new Date('2026-11-28T10:00:00Z')
const READ = new Date('2026-11-28T10:00:15Z')
const NANOS = (at: Date): string => `${at.getTime()}000000`

interface Point {
  readonly startTimeUnixNano?: string
  readonly timeUnixNano: string
  readonly asDouble?: number
  readonly attributes: readonly { readonly key: string; readonly value: object }[]
}

interface Metric {
  readonly name: string
  readonly sum?: { readonly dataPoints: readonly Point[] }
  readonly gauge?: { readonly dataPoints: readonly Point[] }
  readonly histogram?: { readonly dataPoints: readonly Point[] }
}

/** The metrics of a request, by name. */
function metricsOf(body: string): ReadonlyMap<string, Metric> {
  const request = JSON.parse(body) as {
    resourceMetrics: [{ scopeMetrics: [{ metrics: Metric[] }] }]
  }
  const [{ scopeMetrics }] = request.resourceMetrics
  return new Map(scopeMetrics[0].metrics.map((metric) => [metric.name, metric]))
}

suite('metrics for a collector', () => {
  test('have the values, labels and buckets that Prometheus reads', async () => {
    const registers = [new Registry()]
    const [registry] = registers
    assert.ok(registry !== undefined)
    const paid = new Counter({ name: 'paid_total', help: 'h', labelNames: ['why'], registers })
    paid.inc({ why: 'a "quote", a \\ and a\nline' }, 3)
    new Gauge({ name: 'waiting', help: 'h', registers }).set(2.5)
    new Gauge({ name: 'unknown', help: 'h', registers }).set(NaN)
    const took = new Histogram({ name: 'took', help: 'h', buckets: [0.1, 1], registers })
    for (const seconds of [0.05, 0.5, 0.6, 7]) took.observe(seconds)

    const families = readMetricsText(await registry.metrics())
    const found = metricsOf(
      new OtlpMetrics({ 'service.name': 't' }, STARTED).encode(families, READ),
    )

    const times = { startTimeUnixNano: NANOS(STARTED), timeUnixNano: NANOS(READ) }
    const why = { key: 'why', value: { stringValue: 'a "quote", a \\ and a\nline' } }
    assert.deepEqual(found.get('paid_total')?.sum, {
      dataPoints: [{ ...times, attributes: [why], asDouble: 3 }],
      aggregationTemporality: 2,
      isMonotonic: true,
    })
    assert.deepEqual(found.get('waiting')?.gauge, {
      dataPoints: [{ timeUnixNano: NANOS(READ), attributes: [], asDouble: 2.5 }],
    })
    assert.deepEqual(found.get('took')?.histogram, {
      dataPoints: [
        {
          ...times,
          attributes: [],
          count: '4',
          sum: 8.15,
          bucketCounts: ['1', '2', '1'],
          explicitBounds: [0.1, 1],
        },
      ],
      aggregationTemporality: 2,
    })
    assert.equal(found.has('unknown'), false)
  })

  test('a counter that became smaller counts since the reading before', () => {
    const metrics = new OtlpMetrics({}, STARTED)
    const later = new Date(READ.getTime() + 15_000)
    const read = (value: number, at: Date): Point | undefined => {
      const text = `# HELP n_total h\n# TYPE n_total counter\nn_total ${value}\n`
      return metricsOf(metrics.encode(readMetricsText(text), at)).get('n_total')?.sum?.dataPoints[0]
    }
    assert.equal(read(5, READ)?.startTimeUnixNano, NANOS(STARTED))
    assert.equal(read(2, later)?.startTimeUnixNano, NANOS(READ))
    assert.equal(read(3, new Date(later.getTime() + 15_000))?.startTimeUnixNano, NANOS(READ))
  })

  test('a line that is no sample is an error, and no value is lost in silence', () => {
    assert.throws(() => readMetricsText('# TYPE n gauge\nn{a="b" 1\n'), /no sample/)
    assert.throws(() => readMetricsText('n 1\n'), /no TYPE/)
  })

  test('are sent regularly, and the log names a collector that takes none, once, and its return', async () => {
    const bodies: string[] = []
    let status = 503
    const server = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (part: string) => (body += part))
      request.on('end', () => {
        bodies.push(body)
        response.writeHead(status).end()
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/metrics`
    const lines: string[] = []
    const add = (line: string): void => void lines.push(line)
    const log = { info: add, warn: add, error: add }
    const read = (): Promise<string> => Promise.resolve('# HELP n h\n# TYPE n gauge\nn 7\n')
    const push = pushMetrics({ url, read, log, everyMs: 5 })
    await eventually('the collector is asked again', () => bodies.length >= 3)
    status = 200
    await eventually('the log has the return', () => lines.length === 2)
    await push.stop()
    server.closeAllConnections()
    server.close()

    assert.deepEqual(lines, [
      `the collector of METRICS_URL takes no metrics: ${url}: it answered with HTTP 503`,
      `the collector of METRICS_URL takes metrics again: ${url}`,
    ])
    assert.equal(metricsOf(bodies[0] ?? '').get('n')?.gauge?.dataPoints[0]?.asDouble, 7)
  })
})
