import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme, useMantineTheme } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { findCurrency } from '@tollgate/kernel/currency'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { amountText } from '../parts/amount.tsx'

interface ForecastChartProps {
  /** YYYY-MM-DD, every day. */
  readonly days: readonly string[]
  readonly charges: readonly { readonly day: string; readonly minor: bigint }[]
  readonly currency: string
}

const HEIGHT = 220
const HALF_A_DAY_S = 43_200

/** A bar for each day; the table below it says the same. */
export function ForecastChart({ days, charges, currency }: ForecastChartProps) {
  const { ref, width } = useElementSize()
  const plot = useRef<HTMLDivElement>(null)
  const theme = useMantineTheme()
  const scheme = useComputedColorScheme('light')
  const sums = new Map(charges.map(({ day, minor }) => [day, minor]))
  const data = JSON.stringify(
    days.map((day) => [Date.parse(day) / 1_000, Number(sums.get(day) ?? 0n)]),
  )
  useEffect(() => {
    const target = plot.current
    if (target === null || width < 50) return
    const points = JSON.parse(data) as [number, number][]
    const text = scheme === 'dark' ? theme.colors.dark[1] : theme.colors.gray[7]
    const grid = {
      stroke: scheme === 'dark' ? theme.colors.dark[5] : theme.colors.gray[2],
      width: 1,
    }
    const bar = theme.colors.cyan[scheme === 'dark' ? 5 : 8] ?? 'teal'
    const font = `12px ${theme.fontFamily}`
    const chart = new uPlot(
      {
        width,
        height: HEIGHT,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
        legend: { show: false },
        cursor: { show: false },
        scales: {
          // Half a day more at both ends, so that the first and last bars are whole.
          x: { time: true, range: (_, low, high) => [low - HALF_A_DAY_S, high + HALF_A_DAY_S] },
          y: { range: (_, _low, high) => [0, Math.max(high, 1) * 1.05] },
        },
        axes: [
          {
            stroke: text,
            grid: { show: false },
            font,
            values: (_, splits) => splits.map(dayOfMonth),
          },
          {
            stroke: text,
            grid,
            font,
            size: 90,
            values: (_, splits) => splits.map((minor) => axisText(minor, currency)),
          },
        ],
        series: [
          {},
          {
            stroke: bar,
            fill: bar,
            width: 0,
            points: { show: false },
            paths: uPlot.paths.bars?.({ size: [0.7, 40] }) ?? (() => null),
          },
        ],
      },
      [points.map(([at]) => at), points.map(([, minor]) => minor)],
      target,
    )
    return () => chart.destroy()
  }, [currency, data, scheme, theme, width])
  return (
    <div
      ref={ref}
      role="img"
      aria-label={`Amounts due each day in ${currency}. The table below shows the same figures.`}
    >
      <div ref={plot} style={{ height: HEIGHT }} />
    </div>
  )
}

const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })

function dayOfMonth(seconds: number): string {
  return DAY.format(new Date(seconds * 1_000))
}

function axisText(minor: number, currency: string): string {
  // Between two minor units there is no amount.
  return Number.isInteger(minor) && findCurrency(currency) !== null
    ? (amountText(BigInt(minor), currency).split(' ')[0] ?? '')
    : ''
}
