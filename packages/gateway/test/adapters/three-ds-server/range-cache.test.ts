import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { CardNumber } from '../../../src/domain/payments/card-number.ts'
import { startBeside, type Beside } from './server-beside-simulator.ts'

const HOUR_MS = 3_600_000
let beside: Awaited<ReturnType<typeof startBeside>>

before(async () => {
  beside = await startBeside()
})
after(() => beside.stop())
beforeEach(async () => {
  await beside.database.pool.query('delete from three_ds_directories')
  await beside.control('POST', '/three-ds/reset')
})

async function questionsAsked(): Promise<Record<string, string>[]> {
  const log = (await beside.control('GET', '/three-ds/log')) as {
    entries: { direction: string; type: string; message: Record<string, string> }[]
  }
  return log.entries
    .filter(({ direction, type }) => direction === 'in' && type === 'PReq')
    .map(({ message }) => message)
}

const versionOf = (
  server: ReturnType<Beside['another']>['server'],
  pan: string,
): string | null | undefined => server.findRange('test', new CardNumber(pan))?.version

test('one of several processes that start together asks, and all know the answer', async () => {
  const nodes = [beside.another(), beside.another(), beside.another()]
  await Promise.all(nodes.map(({ server }) => server.start(beside.receive)))
  assert.equal((await questionsAsked()).length, 1)
  for (const { server } of nodes) {
    assert.equal(versionOf(server, '4000000000002701'), '2.2.0')
    assert.equal(versionOf(server, '4000000000002560'), undefined)
  }
})

test('no process asks twice in an hour, not even after a restart, and after 23 hours it asks for changes', async () => {
  const first = beside.another().server
  await first.start(beside.receive)
  const second = beside.another().server
  await second.start(beside.receive)
  assert.equal((await questionsAsked()).length, 1)
  assert.equal(versionOf(second, '4000000000003000'), '2.1.0')
  assert.equal(versionOf(second, '4000000000005000'), undefined)

  beside.clock.advance(22 * HOUR_MS)
  await second.refreshRanges()
  assert.equal((await questionsAsked()).length, 1)
  // The simulator's own clock stands still: it has to forget that it was asked.
  await beside.control('POST', '/three-ds/reset')
  beside.clock.advance(1 * HOUR_MS)
  await second.refreshRanges()
  const asked = await questionsAsked()
  assert.deepEqual(
    asked.map(({ serialNum }) => serialNum),
    ['1'],
  )
  await first.follow()
  assert.equal(versionOf(first, '4000000000003000'), '2.2.0')
  assert.equal(versionOf(first, '4000000000004000'), undefined)
  assert.equal(versionOf(first, '4000000000005000'), '2.2.0')
  assert.equal(versionOf(first, '4000000000002701'), '2.2.0')

  await beside.control('POST', '/three-ds/reset')
  beside.clock.advance(23 * HOUR_MS)
  await second.refreshRanges()
  assert.deepEqual(
    (await questionsAsked()).map(({ serialNum }) => serialNum),
    ['2'],
  )
  await first.follow()
  assert.equal(versionOf(first, '4000000000005000'), '2.2.0')
})

test('a serial number that is not recognised is followed by a question for everything at once', async () => {
  const { server } = beside.another()
  await server.start(beside.receive)
  await beside.database.pool.query("update three_ds_directories set serial_num = '77'")
  await beside.control('POST', '/three-ds/reset')
  beside.clock.advance(23 * HOUR_MS)
  await server.refreshRanges()
  assert.deepEqual(
    (await questionsAsked()).map(({ serialNum }) => serialNum),
    ['77', undefined],
  )
  await server.follow()
  assert.equal(versionOf(server, '4000000000004000'), '2.2.0')
})

test('an Erro 103 keeps the list, waits for an hour, and is an alarm', async () => {
  const { server, told } = beside.another()
  await server.start(beside.receive)
  beside.clock.advance(23 * HOUR_MS)
  await server.refreshRanges()
  assert.equal(told.alarms, 1)
  await server.refreshRanges()
  assert.equal((await questionsAsked()).length, 2)
  await server.follow()
  assert.equal(versionOf(server, '4000000000002701'), '2.2.0')
  const { rows } = await beside.database.pool.query('select last_fault from three_ds_directories')
  assert.deepEqual(rows, [{ last_fault: '103' }])
})

test('a batch that does not fit is rejected, and the next question asks for everything', async () => {
  const { server, told } = beside.another()
  await server.start(beside.receive)
  // As if this list had another range where the second batch adds one.
  await beside.database.pool.query(
    `update three_ds_directories set revision = revision + 1, ranges = (select json_agg(r) from (
       select value as r from json_array_elements(ranges)
       union all select '{"start":"4000000000005999","end":"4000000000006000","acsFrom":"2.1.0","acsTo":"2.2.0","methodUrl":null}'::json) as x)`,
  )
  await beside.control('POST', '/three-ds/reset')
  beside.clock.advance(23 * HOUR_MS)
  await server.refreshRanges()
  assert.equal(told.alarms, 1)
  await server.follow()
  assert.equal(versionOf(server, '4000000000005000'), undefined)
  assert.equal(versionOf(server, '4000000000005999'), '2.2.0')
  await beside.control('POST', '/three-ds/reset')
  beside.clock.advance(1 * HOUR_MS)
  await server.refreshRanges()
  assert.deepEqual(
    (await questionsAsked()).map(({ serialNum }) => serialNum),
    [undefined],
  )
})

test('a list that could not be refreshed for 25 hours is an alarm, once an hour, and stays in use', async () => {
  const { server, told } = beside.another()
  await server.start(beside.receive)
  await beside.database.pool.query("update three_ds_directories set next_ask_at = 'infinity'")
  beside.clock.advance(26 * HOUR_MS)
  await server.refreshRanges()
  await server.refreshRanges()
  assert.equal(told.alarms, 1)
  beside.clock.advance(HOUR_MS)
  await server.refreshRanges()
  assert.equal(told.alarms, 2)
  assert.equal(versionOf(server, '4000000000002701'), '2.2.0')
})

test('the age of the list counts from its last confirmation', async () => {
  const { server, told } = beside.another()
  await server.start(beside.receive)
  assert.equal(Math.round((told.ranges()[0]?.ageSeconds ?? 99) / 60), 0)
  beside.clock.advance(2 * HOUR_MS)
  assert.deepEqual(
    told.ranges().map(({ directory, ageSeconds }) => [directory, Math.round(ageSeconds / 60)]),
    [['simulator', 120]],
  )
})
