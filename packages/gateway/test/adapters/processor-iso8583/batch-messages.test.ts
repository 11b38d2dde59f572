import { encodeTotals } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  readDetailAnswer,
  readTotalsAnswer,
} from '../../../src/adapters/processor-iso8583/batch-messages.ts'

const { fields: TOTALS } = encodeTotals([])

test('only 00 and 95 with a settlement code answer a 0500', () => {
  const kinds = [
    { ...TOTALS, 39: '00', 66: '1' },
    { ...TOTALS, 39: '95', 66: '2' },
    { ...TOTALS, 39: '96', 66: '1' },
    { ...TOTALS, 39: '00' },
    { 39: '00', 66: '1' },
  ].map((fields) => {
    const answer = readTotalsAnswer({ mti: '0510', fields })
    return answer.kind === 'answered' ? `in balance: ${answer.inBalance}` : answer.kind
  })

  assert.deepEqual(kinds, [
    'in balance: true',
    'in balance: false',
    'refused',
    'unknown',
    'unknown',
  ])
})

test('a detail answer without its number of rows is unknown, and one with another code refused', () => {
  const read = (fields: Record<number, string>) => readDetailAnswer({ mti: '0610', fields }).kind

  assert.equal(read({ 39: '00' }), 'unknown')
  assert.equal(read({ 39: '25' }), 'refused')
  assert.equal(read({ 39: '00', 48: 'NR0010' }), 'answered')
})
