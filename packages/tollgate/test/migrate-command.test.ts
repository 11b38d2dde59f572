import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeSchema } from '../src/migrate-command.ts'

test('the status of a schema lists applied migrations, and pending ones with what they lock', () => {
  const lock = {
    table: 'orders',
    mode: 'share update exclusive',
    duration: 'reads the table',
  } as const
  const header = { locks: [lock], runsBeside: 56, concurrently: [] }
  const lines = describeSchema({
    version: 57,
    known: 58,
    applied: [{ name: '0057_one.sql', at: new Date('2026-11-27T20:00:00Z') }],
    pending: [{ number: 58, name: '0058_two.sql', sql: '', header }],
    leftBehind: null,
  })
  assert.deepEqual(
    lines.map((line) => line.replaceAll(/ +/g, ' ')),
    [
      'applied 2026-11-27T20:00:00.000Z 0057_one.sql',
      'pending 0058_two.sql',
      ' locks orders: share update exclusive, reads the table, outside of a transaction',
      ' programs from schema 56 on run beside it',
      '',
      'The database has schema 57, and this program has 58. Pending: 1.',
    ],
  )
})
