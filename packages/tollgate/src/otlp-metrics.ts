import type { Family, Sample } from './metrics-text.ts'

/** `AggregationTemporality` of OTLP: a value counts since a start. */
const CUMULATIVE = 2

type Attributes = readonly {
  readonly key: string
  readonly value: { readonly stringValue: string }
}[]

interface Times {
  readonly startTimeUnixNano?: string
  readonly timeUnixNano: string
}

/**
 * Makes an ExportMetricsServiceRequest of OTLP in its JSON encoding. It keeps since when each
 * counter counts: one that is smaller than before started again, because a worker ended.
 */
export class OtlpMetrics {
  readonly #resource: Attributes
  readonly #startedAt: Date
  readonly #counted = new Map<string, { readonly value: number; readonly since: Date }>()
  #last: Date

  /** @param startedAt the start of the program: no counter is older */
  constructor(resource: Readonly<Record<string, string>>, startedAt: Date) {
    this.#resource = attributes(resource)
    this.#startedAt = startedAt
    this.#last = startedAt
  }

  /** The request for what was read at a time. Values that are no numbers are left out. */
  encode(families: readonly Family[], at: Date): string {
    const metrics = families.flatMap((family) => {
      const data = this.#dataOf(family, at)
      return data === null ? [] : [{ name: family.name, description: family.help, ...data }]
    })
    this.#last = at
    return JSON.stringify({
      resourceMetrics: [
        {
          resource: { attributes: this.#resource },
          scopeMetrics: [{ scope: { name: 'tollgate' }, metrics }],
        },
      ],
    })
  }

  #dataOf({ name, samples, type }: Family, at: Date): object | null {
    const known = samples.filter(({ value }) => Number.isFinite(value))
    if (known.length === 0) return null
    if (type === 'histogram') {
      const dataPoints = [...seriesOf(samples)].map(([key, series]) =>
        this.#histogram(name, key, series, at),
      )
      return { histogram: { dataPoints, aggregationTemporality: CUMULATIVE } }
    }
    if (type === 'counter') {
      const dataPoints = known.map((sample) => ({
        ...this.#times(`${name} ${keyOf(sample)}`, sample.value, at),
        attributes: attributes(sample.labels),
        asDouble: sample.value,
      }))
      return { sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } }
    }
    const dataPoints = known.map(({ labels, value }) => ({
      timeUnixNano: nanosOf(at),
      attributes: attributes(labels),
      asDouble: value,
    }))
    return { gauge: { dataPoints } }
  }

  #histogram(name: string, key: string, series: readonly Sample[], at: Date): object {
    const bounds = series
      .filter(({ labels }) => labels['le'] !== undefined && labels['le'] !== '+Inf')
      .map(({ labels, value }) => ({ bound: Number(labels['le']), value }))
      .toSorted((one, other) => one.bound - other.bound)
    const valueOf = (suffix: string): number =>
      series.find((sample) => sample.name === `${name}${suffix}`)?.value ?? 0
    const count = valueOf('_count')
    // A bucket of Prometheus has the ones below it too.
    const buckets = [...bounds.map(({ value }) => value), count]
    const { le: _, ...labels } = series[0]?.labels ?? {}
    return {
      ...this.#times(`${name} ${key}`, count, at),
      attributes: attributes(labels),
      count: String(count),
      sum: valueOf('_sum'),
      bucketCounts: buckets.map((value, place) => String(value - (buckets[place - 1] ?? 0))),
      explicitBounds: bounds.map(({ bound }) => bound),
    }
  }

  #times(key: string, value: number, at: Date): Times {
    const before = this.#counted.get(key)
    const isRestarted = before !== undefined && value < before.value
    const since = isRestarted ? this.#last : (before?.since ?? this.#startedAt)
    this.#counted.set(key, { value, since })
    return { startTimeUnixNano: nanosOf(since), timeUnixNano: nanosOf(at) }
  }
}

/** The samples of a histogram by their labels, but for the bound of the bucket. */
function seriesOf(samples: readonly Sample[]): Map<string, Sample[]> {
  return Map.groupBy(samples, keyOf)
}

function keyOf({ labels }: Sample): string {
  const { le: _, ...own } = labels
  return JSON.stringify(Object.entries(own).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

function attributes(labels: Readonly<Record<string, string>>): Attributes {
  return Object.entries(labels).map(([key, stringValue]) => ({ key, value: { stringValue } }))
}

/** Nanoseconds since 1970 as text: more digits than a number holds. */
function nanosOf(at: Date): string {
  return `${at.getTime()}000000`
}
