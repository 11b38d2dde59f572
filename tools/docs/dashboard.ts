import {
  type Dashboard,
  type DataSourceRef,
  type Panel,
  type RowPanel,
  ThresholdsMode,
  VariableHide,
  VariableRefresh,
} from '@grafana/schema'
import { ROWS } from './dashboard-panels.ts'
import type { PanelPlan } from './dashboard-plan.ts'

/** The dashboard for Grafana, as a path from the checkout's root. */
export const DASHBOARD = 'deploy/grafana/tollgate.json'

/** Of Grafana 10; later versions read it, too. */
const SCHEMA_VERSION = 39
/** Grafana's grid. */
const COLUMNS = 24
const SOURCE: DataSourceRef = { type: 'prometheus', uid: '${datasource}' }

/** The dashboard, in the form that Grafana imports; the types are Grafana's own. */
export function dashboard(): Dashboard {
  return {
    uid: 'tollgate',
    title: 'Tollgate',
    description: 'Payments, banks, database and processes of a Tollgate.',
    tags: ['tollgate'],
    timezone: 'browser',
    editable: true,
    graphTooltip: 1,
    schemaVersion: SCHEMA_VERSION,
    version: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: variables() },
    panels: panels(),
  }
}

/** The file of the dashboard. */
export function dashboardText(): string {
  return `${JSON.stringify(dashboard(), null, 2)}\n`
}

function variables(): NonNullable<NonNullable<Dashboard['templating']>['list']> {
  const list = (name: string, label: string, query: string, isMulti: boolean) => ({
    name,
    label,
    type: 'query' as const,
    hide: VariableHide.dontHide,
    skipUrlSync: false,
    datasource: SOURCE,
    query: { query, refId: name },
    definition: query,
    refresh: VariableRefresh.onTimeRangeChanged,
    multi: isMulti,
    includeAll: isMulti,
    ...(isMulti ? { allValue: '.*' } : {}),
  })
  return [
    {
      name: 'datasource',
      label: 'Data source',
      type: 'datasource',
      hide: VariableHide.dontHide,
      skipUrlSync: false,
      query: 'prometheus',
      multi: false,
      includeAll: false,
    },
    list('job', 'Job', 'label_values(tollgate_build_info, job)', false),
    list('instance', 'Node', 'label_values(tollgate_build_info{job="$job"}, instance)', true),
  ]
}

function panels(): (Panel | RowPanel)[] {
  let id = 0
  let top = 0
  const made: (Panel | RowPanel)[] = []
  for (const { title, panels: plans } of ROWS) {
    made.push({
      id: (id += 1),
      type: 'row',
      title,
      collapsed: false,
      gridPos: { h: 1, w: COLUMNS, x: 0, y: top },
      panels: [],
    })
    top += 1
    const [width, height] = plans[0]?.kind === 'stat' ? [4, 4] : [8, 8]
    plans.forEach((plan, at) => {
      const x = (at * width) % COLUMNS
      const y = top + Math.floor((at * width) / COLUMNS) * height
      made.push({ id: (id += 1), gridPos: { h: height, w: width, x, y }, ...panel(plan) })
    })
    top += Math.ceil((plans.length * width) / COLUMNS) * height
  }
  return made
}

function panel({ kind, title, description, unit, queries, redFrom }: PanelPlan): Panel {
  const red = redFrom === undefined ? [] : [{ value: redFrom, color: 'red' }]
  return {
    type: kind,
    title,
    description,
    datasource: SOURCE,
    fieldConfig: {
      defaults: {
        unit,
        min: 0,
        // A step without a value is the base of all.
        thresholds: {
          mode: ThresholdsMode.Absolute,
          steps: [{ value: null, color: 'green' }, ...red],
        },
      },
      overrides: [],
    },
    options:
      kind === 'stat'
        ? {
            reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
            colorMode: 'value',
          }
        : { legend: { showLegend: true, displayMode: 'list', placement: 'bottom', calcs: [] } },
    targets: queries.map(([expr, legendFormat], at) => ({
      refId: String.fromCodePoint(65 + at),
      datasource: SOURCE,
      editorMode: 'code',
      expr,
      legendFormat,
      range: kind !== 'stat',
      instant: kind === 'stat',
    })),
  }
}
