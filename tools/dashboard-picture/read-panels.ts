import type { RunningPrometheus } from '../../test/support/prometheus.ts'
import { dashboard } from '../docs/dashboard.ts'

export interface Series {
  /** As the legend of the panel names it. */
  readonly name: string
  /** Seconds since the first point of the recording. */
  readonly points: readonly { readonly at: number; readonly value: number }[]
}

/** A panel at its place in the grid, with the series of its queries. */
export interface PanelPicture {
  readonly type: string
  readonly title: string
  readonly unit: string
  readonly x: number
  readonly y: number
  readonly w: number
  readonly h: number
  readonly series: readonly Series[]
}

/** The part of the dashboard's panels that is read here, as Grafana's JSON has it. */
interface Panel {
  readonly type: string
  readonly title?: string
  readonly gridPos?: {
    readonly x: number
    readonly y: number
    readonly w: number
    readonly h: number
  }
  readonly fieldConfig?: { readonly defaults?: { readonly unit?: string } }
  readonly targets?: readonly Record<string, unknown>[]
}

/**
 * Evaluates the queries of the dashboard's panels above a row of its grid.
 * @param from Unix seconds, as `to`
 * @param interval of the samples, in seconds
 */
export async function readPanels(
  prometheus: RunningPrometheus,
  { belowRow, from, interval, to }: Record<'belowRow' | 'from' | 'to' | 'interval', number>,
): Promise<readonly PanelPicture[]> {
  const panels = (dashboard().panels ?? []) as readonly Panel[]
  const shown = panels.filter(({ gridPos }) => (gridPos?.y ?? 0) < belowRow)
  return Promise.all(
    shown.map(async ({ type, title = '', gridPos, fieldConfig, targets = [] }) => {
      const series = await Promise.all(
        targets.map(async ({ expr, legendFormat }) => {
          const query = filled(String(expr), interval)
          const found = await prometheus.range(query, from, to, interval)
          return found.map(({ labels, points }) => ({
            name: legend(String(legendFormat ?? ''), labels),
            points: points.map(([at, value]) => ({ at: at - from, value })),
          }))
        }),
      )
      const place = gridPos ?? { x: 0, y: 0, w: 24, h: 1 }
      const unit = fieldConfig?.defaults?.unit ?? 'short'
      return { type, title, unit, ...place, series: series.flat() }
    }),
  )
}

/** As Grafana fills its variables in: every node, and four samples for a rate. */
function filled(query: string, interval: number): string {
  return query
    .replaceAll('$__rate_interval', `${interval * 4}s`)
    .replaceAll('$job', 'tollgate')
    .replaceAll('$instance', '.+')
}

function legend(format: string, labels: Readonly<Record<string, string>>): string {
  return format.replace(/\{\{\s*(\w+)\s*\}\}/g, (_, name: string) => labels[name] ?? '')
}
