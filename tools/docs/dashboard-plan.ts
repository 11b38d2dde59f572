/** A panel of the dashboard: its queries, each with the text of its legend. */
export interface PanelPlan {
  readonly kind: 'timeseries' | 'stat'
  readonly title: string
  readonly description: string
  /** As Grafana names units. */
  readonly unit: 'short' | 'reqps' | 's' | 'bytes' | 'percentunit' | 'ops'
  readonly queries: readonly (readonly [query: string, legend: string])[]
  /** A value from which on the panel is red; none if absent. */
  readonly redFrom?: number
}

/** Lines over time. */
export const line = (
  title: string,
  unit: PanelPlan['unit'],
  description: string,
  ...queries: PanelPlan['queries']
): PanelPlan => ({ kind: 'timeseries', title, unit, description, queries })

/** One number. */
export const stat = (
  title: string,
  unit: PanelPlan['unit'],
  description: string,
  query: string,
  redFrom?: number,
): PanelPlan => ({
  kind: 'stat',
  title,
  unit,
  description,
  queries: [[query, '']],
  ...(redFrom === undefined ? {} : { redFrom }),
})

/** The nodes that the reader of the dashboard chose. */
export const ON = 'job="$job",instance=~"$instance"'

/** Per second, of a counter. */
export const rate = (metric: string, by: string, more = ''): string =>
  `sum by (${by}) (rate(${metric}{${ON}${more}}[$__rate_interval]))`

/** Of a histogram. @param share such as 0.99 */
export const quantile = (share: number, metric: string, by: string): string =>
  `histogram_quantile(${share}, ${rate(`${metric}_bucket`, `${by}, le`)})`

/** The highest value of all nodes, for what each of them reads in the database. */
export const highest = (metric: string, by: string, more = ''): string =>
  `max by (${by}) (${metric}{${ON}${more}})`

/** The sum over all nodes. */
export const sum = (metric: string, by: string, more = ''): string =>
  `sum by (${by}) (${metric}{${ON}${more}})`

/** Per second, over all nodes and labels. */
export const total = (metric: string, more = ''): string =>
  `sum(rate(${metric}{${ON}${more}}[$__rate_interval]))`

/** The highest value of all nodes and labels. */
export const maximum = (metric: string): string => `max(${metric}{${ON}})`
