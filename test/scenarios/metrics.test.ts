import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { createVaultWaits } from '../../packages/gateway/src/adapters/metrics/vault-metrics.ts'
import { createBackupMetrics } from '../../packages/tollgate/src/backup/backup-metrics.ts'
import { createBundledBankMetrics } from '../../packages/tollgate/src/bundled-bank.ts'
import { watchNode } from '../../packages/tollgate/src/process-metrics.ts'
import { createVaultMetrics } from '../../packages/tollgate/src/vault-metrics.ts'
import { openBankTap, type BankTap } from '../support/bank-tap.ts'
import { dashboardQueries, metricsOf, readRules } from '../support/monitoring.ts'
import { outcome, payment, postForm, untilNoAdviceIsQueued, untilRow } from '../support/payments.ts'
import { signIn } from '../support/portal.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'

let gateway: RunningGateway
let tap: BankTap
before(async () => {
  gateway = await startRunningGateway({ BANK_TIMEOUT_MS: '2000' }, async (bankPort) => {
    tap = await openBankTap(bankPort)
    return tap.port
  })
})
after(async () => {
  await gateway.stop()
  await tap.close()
})

async function value(line: string): Promise<string | null> {
  const metrics = await gateway.metrics()
  const found = metrics.split('\n').find((each) => each.startsWith(`${line} `))
  return found?.slice(line.length + 1) ?? null
}

test('payments are counted by action and state, and what the bank said by outcome', async () => {
  assert.equal(outcome(await gateway.client().authorize(payment('12.00'))), 'APPROVED 0/100')
  await gateway.client().authorize(payment('5.30'))
  tap.muteBank()
  assert.equal(outcome(await gateway.client().authorize(payment('13.00'))), 'FAILED 0/502')

  const requests = 'tollgate_requests_total{action="CCAUTHORIZE",'
  assert.equal(await value(`${requests}state="APPROVED",http_status="200"}`), '1')
  assert.equal(await value(`${requests}state="DECLINED",http_status="200"}`), '1')
  assert.equal(await value(`${requests}state="FAILED",http_status="200"}`), '1')
  const outcomes = 'tollgate_bank_outcomes_total{link="the bundled bank",message="authorization",'
  assert.equal(await value(`${outcomes}outcome="approved"}`), '1')
  assert.equal(await value(`${outcomes}outcome="unknown"}`), '1')
  const answers = 'tollgate_bank_answers_total{link="the bundled bank",'
  assert.equal(await value(`${answers}code="00"}`), '1')
  assert.equal(await value(`${answers}code="91"}`), '1')
  const timed = 'tollgate_bank_seconds_count{link="the bundled bank",message="authorization"}'
  assert.equal(await value(timed), '3')
})

test('a reversal that the bank does not acknowledge is seen with its count and tries, until it does', async () => {
  const queued = 'tollgate_advices_queued{kind="reversal"}'
  assert.equal(await value(queued), '1')
  await untilRow(gateway, 'the reversal was sent', 'select 1 from advices where tries > 0')
  assert.notEqual(await value('tollgate_advices_most_tries{kind="reversal"}'), '0')

  tap.unmuteBank()
  await untilNoAdviceIsQueued(gateway)
  assert.equal(await value(queued), '0')
})

test('failed sign-ins are counted by kind of user, and requests of the portal by result', async () => {
  const failed = (kind: string): Promise<string | null> =>
    value(`tollgate_sign_ins_failed_total{kind="${kind}"}`)
  assert.equal(await failed('api_user'), '0')
  await postForm(gateway, { REQUEST_ACTION: 'TESTAUTH', REQ_PASSWORD: 'wrong' })
  for (let guess = 0; guess < 10; guess += 1) {
    await fetch(new URL('/portal/api/session', gateway.baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'made-up@tollgate.test', password: 'wrong' }),
    })
  }
  assert.deepEqual(await Promise.all(['api_user', 'portal_user', 'operator'].map(failed)), [
    '1',
    '10',
    '0',
  ])
  assert.equal(await value('tollgate_sign_ins_locked_total{kind="portal_user"}'), '1')
  const requests = 'tollgate_portal_requests_total{place="portal",'
  assert.equal(await value(`${requests}result="refused"}`), '10')
  await signIn(gateway)
  assert.equal(await value(`${requests}result="done"}`), '1')
  assert.equal(await value('tollgate_portal_request_seconds_count{place="portal"}'), '11')
})

test('the connections of each pool are counted, and the queries of the metrics do not wait', async () => {
  assert.equal(
    await value('tollgate_database_connections{pool="tollgate intents",state="idle"}'),
    '1',
  )
  assert.equal(await value('tollgate_database_waiting{pool="tollgate"}'), '0')
})

test('no label repeats what a request called its action, and no metric holds a card number', async () => {
  await postForm(gateway, { REQUEST_ACTION: 'CC4111111111111111', PMT_NUMB: '4111111111111111' })

  assert.equal(
    await value('tollgate_requests_total{action="other",state="none",http_status="200"}'),
    '1',
  )
  assert.ok(!(await gateway.metrics()).includes('4111111111111111'))
})

/** Other things of the documents whose names begin alike: cookies and a role of the database. */
const NO_METRICS = ['tollgate_console', 'tollgate_owner', 'tollgate_portal', 'tollgate_serving']
/** Node's own, which one row of a document names together. */
const OF_NODE = /^tollgate_(?:process(?!_memory_bytes)|nodejs)_/

/** The names of metrics in all documents. */
function documentedMetrics(): string[] {
  const root = new URL('../../', import.meta.url)
  const pages = globSync(['docs/**/*.md', 'README.md', 'SECURITY.md'], { cwd: root })
  const text = pages.map((page) => readFileSync(new URL(page, root), 'utf8')).join('\n')
  const named = [...text.matchAll(/\btollgate_[a-z_]+[a-z]\b/g)].map(([name]) => name)
  const metrics = new Set(named.filter((name) => !NO_METRICS.includes(name) && !OF_NODE.test(name)))
  return [...metrics].toSorted()
}

/** The names of all metrics that a node serves: those of its workers and of its supervisor. */
async function servedMetrics(): Promise<string[]> {
  const { registry } = createBundledBankMetrics()
  createBackupMetrics(registry, Date.now)
  createVaultMetrics(registry)
  createVaultWaits(registry)
  watchNode({ registry, processes: () => [], dataDir: '.' })
  const texts = [await gateway.metrics(), await registry.metrics()]
  return [...texts.join('\n').matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => `${name}`)
}

test('the documents name every metric that is served, and no other', async () => {
  const served = await servedMetrics()
  assert.deepEqual(documentedMetrics(), served.filter((name) => !OF_NODE.test(name)).toSorted())
})

test('alert rules and dashboard use metrics that are served, and no other', async () => {
  const queries = [...readRules().map(({ expr }) => expr), ...dashboardQueries()]
  const used = queries.flatMap(metricsOf)
  assert.ok(used.length > 80, 'the queries were not found')
  const names = new Set(await servedMetrics())
  assert.deepEqual(
    used.filter((name) => !names.has(name)),
    [],
  )
})

test('the program logs every line for which the documents recommend an alarm', () => {
  const root = new URL('../../', import.meta.url)
  const page = readFileSync(new URL('docs/operators/alarms.md', root), 'utf8')
  const lines = [...page.matchAll(/^\| `([^`]+)` \|/gm)].flatMap(([, name]) =>
    name === undefined || name.startsWith('tollgate_') ? [] : [name],
  )
  const sources = globSync('packages/*/src/**/*.ts', { cwd: root }).map((file) =>
    readFileSync(new URL(file, root), 'utf8'),
  )
  assert.ok(lines.length >= 8, 'the table of alarms was not found')
  for (const line of lines)
    assert.ok(
      sources.some((text) => text.includes(`'${line}'`)),
      line,
    )
})
