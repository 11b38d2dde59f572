import type { PanelPicture, Series } from './read-panels.ts'

/** Pixels of a column and a row of Grafana's grid. */
const COLUMN = 50
const ROW = 26
const GAP = 4
const HEAD = 46
const COLORS = ['#1b7f4b', '#c0392b', '#2563a8', '#b7791f', '#6b46a8', '#0f766e', '#9d5b8f', '#555']

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const write = (x: number, y: number, text: string, more = ''): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${escaped(text)}</text>`

/** A value with the unit of its panel. */
function valueText(value: number, unit: string): string {
  const short = (number: number): string => String(Number(number.toPrecision(3)))
  if (unit === 'percentunit') return `${short(value * 100)} %`
  if (unit === 's') return value < 1 ? `${short(value * 1_000)} ms` : `${short(value)} s`
  if (unit === 'bytes') return `${short(value / 1_048_576)} MiB`
  return unit === 'reqps' || unit === 'ops' ? `${short(value)} /s` : short(value)
}

interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/**
 * Draws panels at their places of the dashboard's grid, as an SVG.
 * @param title of the picture
 * @param faultAt when the fault began, in seconds since the first point; a line marks it
 */
export function drawDashboard(
  title: string,
  panels: readonly PanelPicture[],
  faultAt: number,
): string {
  const height = HEAD + ROW * Math.max(...panels.map(({ y, h }) => y + h)) + GAP
  const width = 24 * COLUMN + GAP
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}"`,
    ` height="${height}" font-family="sans-serif" font-size="11" fill="#222">`,
    `<title>${escaped(title)}</title><rect width="100%" height="100%" fill="#f4f5f6"/>`,
    write(10, 28, title, 'font-size="17" font-weight="bold"'),
    ...panels.map((panel) => drawPanel(panel, faultAt)),
    '</svg>\n',
  ].join('\n')
}

function drawPanel(panel: PanelPicture, faultAt: number): string {
  const left = panel.x * COLUMN + GAP
  const top = HEAD + panel.y * ROW
  if (panel.type === 'row') {
    return write(left + 6, top + 18, panel.title, 'font-size="14" font-weight="bold"')
  }
  const box = { left, top, width: panel.w * COLUMN - GAP, height: panel.h * ROW - GAP }
  const frame =
    `<rect x="${left}" y="${top}" width="${box.width}" height="${box.height}" rx="3" ` +
    'fill="#fff" stroke="#d8dadd"/>'
  const name = write(left + 8, top + 17, panel.title, 'font-weight="bold"')
  const body = panel.type === 'stat' ? drawStat(panel, box) : drawLines(panel, box, faultAt)
  return `<g>${frame}${name}${body}</g>`
}

function drawStat({ series, unit }: PanelPicture, box: Box): string {
  const last = series[0]?.points.at(-1)
  const text = last === undefined ? 'No data' : valueText(last.value, unit)
  const place = 'font-size="26" text-anchor="middle"'
  return write(box.left + box.width / 2, box.top + box.height / 2 + 20, text, place)
}

function drawLines({ series, unit }: PanelPicture, box: Box, faultAt: number): string {
  const points = series.flatMap((each) => each.points)
  if (points.length === 0) {
    return write(box.left + 8, box.top + 40, 'No data', 'fill="#777"')
  }
  const plot = { left: box.left + 62, top: box.top + 28, width: box.width - 74, height: 108 }
  const most = Math.max(...points.map(({ value }) => value)) * 1.05 || 1
  const end = Math.max(...points.map(({ at }) => at)) || 1
  const x = (at: number): number => plot.left + (at / end) * plot.width
  const y = (value: number): number => plot.top + plot.height * (1 - value / most)
  const grid = [0, most / 2, most].map(
    (value) =>
      `<path d="M${plot.left} ${y(value).toFixed(1)}h${plot.width}" stroke="#e4e6e8"/>` +
      write(plot.left - 6, y(value) + 4, valueText(value, unit), 'text-anchor="end" fill="#555"'),
  )
  const times = [0, 10, 20, 30, 40, 50]
    .filter((at) => at <= end)
    .map((at) =>
      write(x(at), plot.top + plot.height + 14, `${at} s`, 'text-anchor="middle" fill="#555"'),
    )
  const fault =
    `<path d="M${x(faultAt).toFixed(1)} ${plot.top}v${plot.height}" stroke="#c0392b" ` +
    'stroke-dasharray="3 3"/>'
  const lines = series.map(({ points: own }, at) => {
    const path = own.map((point) => `${x(point.at).toFixed(1)} ${y(point.value).toFixed(1)}`)
    return `<path d="M${path.join('L')}" fill="none" stroke="${colorOf(at)}" stroke-width="1.5"/>`
  })
  return [...grid, ...times, fault, ...lines, drawLegend(series, box)].join('')
}

const colorOf = (at: number): string => COLORS[at % COLORS.length] ?? '#555'

/** Names in lines of their own; those that do not fit are left out. */
function drawLegend(series: readonly Series[], { left, top, width }: Box): string {
  let x = left + 10
  let y = top + 166
  let isFull = false
  const names = series.map(({ name }, at) => {
    const needed = 24 + name.length * 7
    if (x + needed > left + width && x > left + 10) {
      x = left + 10
      y += 15
    }
    isFull ||= y > top + 198
    if (isFull) return ''
    const mark = `<rect x="${x}" y="${y - 8}" width="9" height="9" fill="${colorOf(at)}"/>`
    const text = write(x + 13, y, name)
    x += needed
    return mark + text
  })
  return names.join('')
}
