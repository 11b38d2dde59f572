import { useComputedColorScheme } from '@mantine/core'
import type { HomeChart } from '@tollgate/portal-contract/answers/home'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { countText } from '../parts/count-text.ts'
import { shownZone } from '../parts/shown-zone.ts'
import { timeText } from '../parts/when.tsx'
import classes from './home.module.css'
import { pointText } from './point-text.ts'
import { linePoint, rateOf, rateText } from './rates.ts'

const HEIGHT = 250
const NO_PAYMENTS = { approved: 0, declined: 0 }

const COLORS = {
  light: {
    approved: '#8fcfe0',
    declined: '#f0a3a3',
    rate: '#0b7285',
    grid: '#e9ecef',
    text: '#495057',
  },
  dark: {
    approved: '#1c5f70',
    declined: '#8f3a3a',
    rate: '#3bc9db',
    grid: '#373a40',
    text: '#c1c2c5',
  },
} as const

/** Bars of payments, the declined ones on top, and the approval rate, in the merchant's zone. */
export function PaymentChart({ chart }: { readonly chart: HomeChart }) {
  const place = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme('light')
  useEffect(() => {
    const { current } = place
    if (current === null) return undefined
    const plot = new UPlot(optionsOf(chart, scheme, current.clientWidth), dataOf(chart), current)
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: current.clientWidth, height: HEIGHT }),
    )
    observer.observe(current)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [chart, scheme])
  return <div ref={place} className={classes.chart} aria-hidden />
}

function dataOf({ points }: HomeChart): UPlot.AlignedData {
  return [
    points.map(({ from }) => Date.parse(from) / 1_000),
    points.map(({ approved, declined }) => approved + declined),
    points.map(({ approved }) => approved),
    points.map(linePoint),
  ]
}

/** `2026-11-21 16:03:12 +01:00`, of seconds since 1970. */
function timeOf(seconds: number): string {
  return timeText(new Date(seconds * 1_000).toISOString())
}

/** The hour, with its day where that is another than the one before's; or the day, or the month. */
function tickText(seconds: number, before: number | undefined, unit: HomeChart['unit']): string {
  const text = timeOf(seconds)
  if (unit === 'month') return text.slice(0, 7)
  if (unit === 'day') return text.slice(5, 10)
  const day = text.slice(5, 10)
  const isNewDay = before === undefined || timeOf(before).slice(5, 10) !== day
  return isNewDay ? `${text.slice(11, 16)}\n${day}` : text.slice(11, 16)
}

function optionsOf(
  { points, unit }: HomeChart,
  scheme: 'light' | 'dark',
  width: number,
): UPlot.Options {
  const color = COLORS[scheme]
  const bars = UPlot.paths.bars?.({ size: [0.7, 40] })
  const axis = {
    stroke: color.text,
    grid: { stroke: color.grid, width: 1 },
    ticks: { stroke: color.grid, width: 1 },
  }
  const count = (_: UPlot, value: number | null): string =>
    value === null ? '–' : countText(value)
  return {
    width,
    height: HEIGHT,
    tzDate: (seconds) => UPlot.tzDate(new Date(seconds * 1_000), shownZone()),
    cursor: { drag: { x: false, y: false } },
    scales: {
      // Room for half a bar at both ends.
      x: {
        range: (_, low, high) => [
          low - (high - low) / (2 * points.length),
          high + (high - low) / (2 * points.length),
        ],
      },
      payments: { range: (_, _low, high) => [0, Math.max(4, high * 1.1)] },
      rate: { range: [0, 105] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 64,
        values: (_, splits) => splits.map((seconds, at) => tickText(seconds, splits[at - 1], unit)),
      },
      {
        ...axis,
        scale: 'payments',
        size: 60,
        incrs: [
          1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000,
          1_000_000,
        ],
        values: (_, splits) => splits.map((value) => countText(value)),
      },
      {
        ...axis,
        scale: 'rate',
        side: 1,
        size: 56,
        grid: { show: false },
        values: (_, splits) => splits.map((value) => (value > 100 ? '' : `${value} %`)),
      },
    ],
    series: [
      {
        label: 'From',
        value: (_, seconds: number | null) =>
          seconds === null ? '–' : pointText(new Date(seconds * 1_000).toISOString(), unit),
      },
      // The bar is the total; the approved part covers everything except the declined part.
      {
        label: 'Declined',
        scale: 'payments',
        fill: color.declined,
        width: 0,
        points: { show: false },
        value: (_, _all, _series, at) => (at === null ? '–' : countText(points[at]?.declined ?? 0)),
        ...(bars === undefined ? {} : { paths: bars }),
      },
      {
        label: 'Approved',
        scale: 'payments',
        fill: color.approved,
        width: 0,
        points: { show: false },
        value: count,
        ...(bars === undefined ? {} : { paths: bars }),
      },
      {
        label: 'Approval rate',
        scale: 'rate',
        stroke: color.rate,
        width: 2,
        spanGaps: true,
        points: { size: 5 },
        value: (_, _value, _series, at) => rateText(rateOf(points[at ?? -1] ?? NO_PAYMENTS)),
      },
    ],
  }
}
