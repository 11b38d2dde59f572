import type pg from 'pg'
import { CHANGED_ROWS } from '../../packages/gateway/src/adapters/postgres/books/invariants/changed-rows.ts'

/** Tables that grow with payments: a run since the last one reaches their rows by a key. */
const GROWING: ReadonlySet<string> = new Set([
  ...CHANGED_ROWS.map(({ table }) => table).filter((table) => !/^(changed_|events$)/.test(table)),
  'requests',
  'settlement_lines',
  'settlement_postings',
  'settled_transactions',
  'transaction_fees',
  'idempotency_keys',
  'mail_messages',
  'customer_erasures',
])

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Index Cond'?: string
  readonly 'Index Name'?: string
  readonly 'Relation Name'?: string
  readonly Schema?: string
  readonly Plans?: readonly PlanNode[]
}

/** Partial indexes of open work: they hold few rows, and are read whole. */
const OPEN_WORK = /^(three_ds_authentications_open|advices_(due|queued)_)/

/** The parts of a plan that read a growing table in another way than by a key. */
function walks(node: PlanNode, above = ''): string[] {
  const below = (node.Plans ?? []).flatMap((each) => walks(each, node['Node Type']))
  const table = node['Relation Name'] ?? ''
  const index = node['Index Name'] ?? ''
  // The highest id is the first entry of its index.
  const isFirst = above === 'Limit' && index !== ''
  const isWalk = GROWING.has(table) && node.Schema === 'public' && !isKeyed(node) && !isFirst
  return isWalk ? [...below, `${node['Node Type']} over ${table}`] : below
}

function isKeyed(node: PlanNode): boolean {
  // A bitmap finds its rows by the scans of indexes below it.
  if (/^Bitmap(Or|And| Heap Scan)$/.test(node['Node Type']))
    return (node.Plans ?? []).every(isKeyed)
  return node['Index Cond'] !== undefined || OPEN_WORK.test(node['Index Name'] ?? '')
}

/** How a statement reads growing tables in another way than by a key. */
export async function walksOf(
  client: pg.ClientBase,
  sql: string,
  values: unknown[] = [],
): Promise<string[]> {
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (format json, verbose) ${sql}`,
    values,
  )
  return rows.flatMap((row) => walks(row['QUERY PLAN'][0].Plan))
}
