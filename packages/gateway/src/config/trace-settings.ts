import { z } from 'zod'
import type { DerivedConfig } from './derived-config.ts'
import { text, type SettingKind } from './setting-kinds.ts'
import { isTracesUrl } from './value-forms.ts'

type Shown = Pick<DerivedConfig, 'metricsUrl' | 'traces'>

const NO_TRACES = '(no traces)'

const ratio: SettingKind<number> = {
  fallback: '1',
  expected: 'a number from 0 to 1 with a point and at most six digits behind it, such as 0.05',
  schema: z
    .string()
    .regex(/^(?:0(?:\.\d{1,6})?|1(?:\.0{1,6})?)$/)
    .transform(Number),
}

/** The settings of traces and of metrics for a collector, as rows of the table of settings. */
export const TRACE_SETTINGS = {
  METRICS_URL: {
    ...text(
      'the address of a collector with its path, such as http://127.0.0.1:4318/v1/metrics, ' +
        'without user, password or query',
      isTracesUrl,
    ),
    fallbackText: 'none: no metrics are sent',
    shown: ({ metricsUrl }: Shown): string => metricsUrl ?? '(no metrics are sent)',
  },
  TRACES_URL: {
    ...text(
      'the address of a collector with its path, such as http://127.0.0.1:4318/v1/traces, ' +
        'without user, password or query',
      isTracesUrl,
    ),
    fallbackText: 'none: no traces are recorded',
    shown: ({ traces }: Shown): string => traces?.url ?? NO_TRACES,
  },
  TRACES_RATIO: {
    ...ratio,
    shown: ({ traces }: Shown): string => String(traces?.ratio ?? NO_TRACES),
  },
} as const

/** The values of these settings. */
export interface TraceValues {
  readonly TRACES_URL: string
  readonly TRACES_RATIO: number
}

/** The collector of these values, which were checked; null where none is named. */
export function tracesOf(values: TraceValues): DerivedConfig['traces'] {
  if (values.TRACES_URL === '') return null
  return { url: new URL(values.TRACES_URL).href, ratio: values.TRACES_RATIO }
}

/** The places where metrics are served and sent, of values that were checked; null: none. */
export function metricsOf(values: {
  readonly METRICS_HOST: string
  readonly METRICS_PORT: number | null
  readonly METRICS_URL: string
}): Pick<DerivedConfig, 'metrics' | 'metricsUrl'> {
  const { METRICS_HOST: host, METRICS_PORT: port, METRICS_URL: url } = values
  return {
    metrics: port === null ? null : { host, port },
    metricsUrl: url === '' ? null : new URL(url).href,
  }
}
