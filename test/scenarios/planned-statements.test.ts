import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import pg from 'pg'
import { EXPIRY, newReference, VISA } from '../support/payments.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { CARD, enrol, pay, untilCardRanges, type Fields } from '../support/three-ds.ts'

/** Every statement that payments sent over connections with plans by key, with its name. */
const sent = new Map<string, string | undefined>()

/** The settings of these connections, as the gateway opens them. */
let settings = ''

/** Seldom enough to be planned each time; the last ones are jobs that forget what has expired. */
const OF_OTHERS =
  /^(begin|commit|rollback)|pg_is_in_recovery|into audit_entries|from login_failures|expires_at <=? \$1|used_at < \$1/

interface Connected {
  readonly connectionParameters: { readonly options?: string }
}

const { query } = pg.Client.prototype
/** Notes the statements of all connections whose plans are fixed. */
function noteStatements(this: pg.Client, ...parameters: readonly unknown[]): unknown {
  const { options } = (this as unknown as Connected).connectionParameters
  const [statement] = parameters
  if (options?.includes('force_generic_plan') === true) {
    settings = options
    const { name, text } =
      typeof statement === 'string'
        ? { name: undefined, text: statement }
        : (statement as { name?: string; text: string })
    if (!OF_OTHERS.test(text)) sent.set(text, name)
  }
  return Reflect.apply(query, this, parameters)
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Index Cond'?: string
  readonly 'Index Name'?: string
  readonly 'Relation Name'?: string
  readonly Plans?: readonly PlanNode[]
}

/** Partial indexes that hold few rows: they are read whole, or their first entry is. */
const SMALL: ReadonlySet<string> = new Set([
  'memberships_charging',
  'merchants_disabled',
  'throwaway_sites_to_remove',
  'advices_due_by_merchant',
])

/** The plan for a table of a few rows; with 300 of them, it was `memberships_due`. */
const WHILE_SMALL: ReadonlySet<string> = new Set(['memberships_by_next'])

/** A job looks at all endpoints, beside payments and on a connection of its own. */
const OF_WEBHOOKS: ReadonlySet<string> = new Set([
  'head of webhooks',
  'endpoints behind',
  'ready endpoints',
])

/** Names the first column of each index. */
const FIRST_COLUMNS = `
select i.indexrelid::regclass::text as index, a.attname as name
  from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]`

/** The nodes of a plan that meet rows in another way than by a key. */
function walks(node: PlanNode, firstColumns: ReadonlyMap<string, string>): string[] {
  const below = (node.Plans ?? []).flatMap((each) => walks(each, firstColumns))
  const type = node['Node Type']
  const name = node['Index Name'] ?? node['Relation Name'] ?? ''
  // A condition on later columns of an index reads all of it.
  const first = `(${firstColumns.get(name)} `
  const hasKey =
    node['Index Cond']?.includes(first) === true || SMALL.has(name) || WHILE_SMALL.has(name)
  const isWalk = type === 'Seq Scan' || (/Index.*Scan/.test(type) && !hasKey)
  return isWalk ? [...below, `${type} over ${name}`] : below
}

suite('statements of payments', () => {
  let gateway: RunningGateway
  let planner: pg.Client | undefined

  before(async () => {
    pg.Client.prototype.query = noteStatements as typeof query
    gateway = await startRunningGateway({}, undefined, {}, {})
    await untilCardRanges(gateway)
    await payInManyWays(gateway)
    pg.Client.prototype.query = query
    planner = new pg.Client({ connectionString: gateway.databaseUrl, options: settings })
    await planner.connect()
  })
  after(async () => {
    pg.Client.prototype.query = query
    await planner?.end()
    await gateway.stop()
  })

  test('statements of payments have names, so that PostgreSQL plans each of them once', () => {
    assert.ok(sent.size > 30, `${sent.size} statements were seen`)
    const unnamed = [...sent].filter(([, name]) => name === undefined).map(([text]) => text)
    assert.deepEqual(unnamed, [])
  })

  test('statements of payments reach each row by a condition on an index, for all values', async () => {
    assert.ok(planner !== undefined)
    const { rows: columns } = await planner.query<{ index: string; name: string }>(FIRST_COLUMNS)
    const firstColumns = new Map(columns.map(({ index, name }) => [index, name]))
    const found: Record<string, readonly string[]> = {}
    for (const [text, name = ''] of sent) {
      if (OF_WEBHOOKS.has(name)) continue
      const { rows } = await planner.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (generic_plan, format json) ${text}`,
      )
      const walked = rows.flatMap((row) => walks(row['QUERY PLAN'][0].Plan, firstColumns))
      if (walked.length > 0) found[name] = walked
    }
    assert.deepEqual(found, {})
  })

  test('an approval changes no column that an index has, so that its rows are updated in place', async () => {
    await gateway.pool.query(NOTE_CHANGES)
    for (const action of ['CCAUTHORIZE', 'CCAUTHCAP']) {
      const fields = { REQUEST_ACTION: action, LI_VALUE_1: '11.00', PMT_NUMB: VISA }
      const answer = await pay(gateway, {
        ...fields,
        PMT_EXPIRY: EXPIRY,
        REQUEST_RESPONSE_FORMAT: 'JSON',
      })
      assert.equal(answer['TRANS_STATUS_NAME'], 'APPROVED')
    }

    const { rows } = await gateway.pool.query<{ changed: string[]; indexed: string[] }>(
      INDEXED_CHANGES,
    )

    const [changes] = rows
    assert.ok(changes !== undefined)
    assert.ok(changes.changed.includes('transactions.state'), changes.changed.join(', '))
    assert.ok(changes.changed.includes('orders.authorized_minor'))
    assert.deepEqual(changes.indexed, [])
  })
})

/** Notes the columns that updates of payments change. */
const NOTE_CHANGES = `
create table noted_changes (relation text, name text);
create function note_changes() returns trigger language plpgsql as $$
begin
  insert into noted_changes
  select tg_table_name, n.key from jsonb_each(to_jsonb(new)) n
   where n.value <> to_jsonb(old) -> n.key;
  return null;
end $$;
create trigger noted after update on orders for each row execute function note_changes();
create trigger noted after update on transactions for each row execute function note_changes();`

/** All of them, and those that an index has as a key or in its condition. */
const INDEXED_CHANGES = `
with indexed as (
  select i.indrelid::regclass::text as relation, a.attname as name
    from pg_index i
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum > 0
     and (a.attnum = any(i.indkey) or exists (
           select from pg_depend d
            where d.classid = 'pg_class'::regclass and d.objid = i.indexrelid
              and d.refclassid = 'pg_class'::regclass and d.refobjid = i.indrelid
              and d.refobjsubid = a.attnum))
   where i.indrelid in ('orders'::regclass, 'transactions'::regclass)
)
select array(select distinct relation || '.' || name from noted_changes) as changed,
       array(select distinct relation || '.' || name from noted_changes
             intersect select relation || '.' || name from indexed) as indexed`

/** One request of each kind that a payment's way knows. */
async function payInManyWays(gateway: RunningGateway): Promise<void> {
  const send = (action: string, more: Fields): Promise<Fields> =>
    pay(gateway, { REQUEST_ACTION: action, REQUEST_RESPONSE_FORMAT: 'JSON', ...more })
  const amount = { LI_VALUE_1: '10.00' }
  const newCard = { PMT_NUMB: VISA, PMT_EXPIRY: EXPIRY, ...amount }
  const reference = newReference()
  const named = { XTL_ORDER_ID: reference, UNIQUE_XTL_ORDER_ID: '2' }
  const sale = await send('CCAUTHCAP', { ...newCard, ...named, CUST_LOGIN: reference })
  assert.equal(sale['TRANS_STATUS_NAME'], 'APPROVED')
  const repeated = await send('CCAUTHCAP', { ...newCard, ...named })
  assert.equal(repeated['TRANS_ID'], sale['TRANS_ID'])
  const held = await send('CCAUTHORIZE', newCard)
  const order = { REQUEST_REF_PO_ID: held['PO_ID'] ?? '' }
  await send('CCCAPTURE', { ...order, LI_VALUE_1: '6.00' })
  await send('CCCREDIT', { ...order, LI_VALUE_1: '1.00' })
  await send('CCREVERSE', order)
  await send('CCSTATUS', order)
  await send('CCSTATUS', { REQUEST_REF_PO_ID_XTL: reference })
  await send('CCTRANSUPDATE', { ...order, RECEIPT: 'as printed' })
  const customer = { CUST_ID: sale['CUST_ID'] ?? '', ...amount }
  const saved = { ...customer, PMT_ID: sale['PMT_ID'] ?? '' }
  assert.equal((await send('CCAUTHCAP', saved))['TRANS_STATUS_NAME'], 'APPROVED')
  await send('CCAUTHCAP', { ...customer, PMT_L4: VISA.slice(-4) })
  await send('CCAUTHCAP', { ...saved, IDEMPOTENCY_KEY: reference })
  for (const card of [CARD.authenticated, CARD.challenged, CARD.notAuthenticated]) {
    await enrol(gateway, card)
  }
}
