import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { stringify } from 'yaml'
import { DASHBOARD, dashboard, dashboardText } from '../../tools/docs/dashboard.ts'
import { root } from '../house/source-text.ts'
import { dashboardQueries, promtool, whyNoPrometheus } from '../support/monitoring.ts'

const skip = whyNoPrometheus('promtool') ?? false

/** The cells of Grafana's grid that the panels take, as `column,row`. */
function cellsOf(panels: NonNullable<ReturnType<typeof dashboard>['panels']>): string[] {
  return panels.flatMap(({ gridPos: { h, w, x, y } = { h: 0, w: 0, x: 0, y: 0 } }) =>
    Array.from({ length: h * w }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`),
  )
}

suite('the dashboard for Grafana', () => {
  const { panels = [], templating } = dashboard()

  test('is the file that Grafana imports, as code with the types of Grafana prints it', () => {
    const written = readFileSync(join(root, DASHBOARD), 'utf8')
    assert.equal(written, dashboardText(), 'Run `npm run docs` and commit the file.')
  })

  test('has panels with ids of their own, which lie inside the grid and cover no other', () => {
    assert.ok(panels.length > 30, 'the panels were not found')
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    const cells = cellsOf(panels)
    assert.equal(new Set(cells).size, cells.length)
    assert.deepEqual(
      cells.filter((cell) => Number(cell.split(',')[0]) >= 24),
      [],
    )
  })

  test('uses only variables that it defines', () => {
    const defined = templating?.list?.map(({ name }) => name) ?? []
    // Grafana's own begin with two underscores.
    const used = [...dashboardText().matchAll(/\$\{?([a-z]\w*)/g)].map(([, name]) => name)
    assert.deepEqual([...new Set(used)].toSorted(), defined.toSorted())
  })

  test('has queries that Prometheus can read', { skip }, () => {
    const queries = dashboardQueries()
    assert.ok(queries.length > 40, 'the queries were not found')
    const rules = queries.map((query, at) => ({
      record: `query${at}`,
      expr: query.replaceAll('$__rate_interval', '1m'),
    }))
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-dashboard-'))
    try {
      const file = join(folder, 'queries.yaml')
      writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules }] }))
      const { code, output } = promtool('check', 'rules', '--lint=none', file)
      assert.equal(code, 0, output)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
