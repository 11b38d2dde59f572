import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { STATE_MACHINES } from '../../packages/gateway/src/wiring/state-machines.ts'
import { STATE_PAGE, statePage } from '../../tools/docs/state-page.ts'

const schema = readFileSync(new URL('../../migrations/schema.sql', import.meta.url), 'utf8')

/** The states that the check constraint of a column allows. */
function checkedStates(table: string, column: string): string[] {
  const name = `constraint ${table}_${column}_check`
  const line = schema.split('\n').find((one) => one.includes(name)) ?? ''
  return [...line.matchAll(/'(\w+)'::text/g)].map(([, state]) => state ?? '').toSorted()
}

function statesOfBatches(): string[] {
  const agreements = checkedStates('batches', 'agreement').filter((state) => state !== 'none')
  return ['closed', 'open', ...agreements].toSorted()
}

test('the page of states is what the state tables print', () => {
  const written = readFileSync(new URL(`../../${STATE_PAGE}`, import.meta.url), 'utf8')
  assert.equal(written, statePage(), 'Run `npm run docs` and commit the page.')
})

for (const { table, state, states } of STATE_MACHINES) {
  test(`the states declared for ${table} are those that the database allows`, () => {
    const column = /^\$\.(\w+)$/.exec(state)?.[1]
    // A batch is open without a time of closing; `none` is the agreement of a closed one.
    const allowed = column === undefined ? statesOfBatches() : checkedStates(table, column)
    assert.deepEqual(Object.keys(states).toSorted(), allowed)
  })

  test(`every declared state of ${table} is reached from a start`, () => {
    const reached = new Set<string>()
    const walk = (name: string): void => {
      if (reached.has(name)) return
      reached.add(name)
      for (const to of Object.keys(states[name]?.next ?? {})) walk(to)
    }
    for (const [name, { start }] of Object.entries(states)) if (start !== null) walk(name)
    assert.deepEqual([...reached].toSorted(), Object.keys(states).toSorted())
  })
}
