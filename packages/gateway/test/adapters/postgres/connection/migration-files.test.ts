import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHeader } from '../../../../src/adapters/postgres/connection/migration-files.ts'

const LOCK = '-- Locks: orders, share update exclusive, reads the table\n'
const BESIDE = '-- Runs beside: 0060\n'
const NONE = '-- Transaction: none\n'

function read(sql: string): ReturnType<typeof readHeader> {
  return readHeader('0061_x.sql', 61, sql)
}

test('the header of a migration has its locks, the oldest program beside it, and its statements', () => {
  const sql = `${LOCK}-- Locks: sites, access exclusive, milliseconds
${BESIDE}${NONE}
-- Why; and why so.
create index concurrently orders_by_x on orders (x)
  where x > 0;
drop index concurrently orders_by_y;
`
  assert.deepEqual(read(sql), {
    runsBeside: 60,
    locks: [
      { table: 'orders', mode: 'share update exclusive', duration: 'reads the table' },
      { table: 'sites', mode: 'access exclusive', duration: 'milliseconds' },
    ],
    concurrently: [
      {
        kind: 'create',
        index: 'orders_by_x',
        sql: 'create index concurrently orders_by_x on orders (x)\n  where x > 0',
      },
      { kind: 'drop', index: 'orders_by_y', sql: 'drop index concurrently orders_by_y' },
    ],
  })
  assert.deepEqual(read(`-- Locks: none\n${BESIDE}create table a ();`), {
    runsBeside: 60,
    locks: [],
    concurrently: null,
  })
})

for (const [what, sql, expected] of [
  ['has no line about its locks', BESIDE, /needs lines "-- Locks: <table>/],
  [
    'names an unknown duration',
    `-- Locks: orders, share, a while\n${BESIDE}`,
    /a while".*milliseco/,
  ],
  ['does not say what runs beside it', LOCK, /needs one line "-- Runs beside/],
  ['runs beside a later schema', `${LOCK}-- Runs beside: 0062\n`, /up to its own number/],
  ['says it below a statement', `create table a ();\n${LOCK}${BESIDE}`, /needs one line/],
  [
    'changes rows outside of a transaction',
    `${LOCK}${BESIDE}${NONE}update orders set x = 1;`,
    /this one is not: update orders/,
  ],
] as const) {
  test(`a migration that ${what} is refused with its name`, () => {
    assert.throws(() => read(sql), expected)
    assert.throws(() => read(sql), /0061_x\.sql/)
  })
}
