/** The periods that the home page's chart can show. */
export const CHART_RANGES = ['24h', '7d', '30d', '12m'] as const

export type ChartRange = (typeof CHART_RANGES)[number]
