import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { FAULT_KINDS } from '../../../src/domain/webhooks/delivery-faults.ts'
import { RECEIVER_MEMBERS } from '../../../src/http/sandbox/receiver-request.ts'
import {
  RECEIVER_ACTIONS,
  RECEIVER_PATH,
  receiverRefusals,
} from '../../../src/http/sandbox/receiver-service.ts'

const page = readFileSync(
  new URL('../../../../../docs/integrators/webhook-receiver.md', import.meta.url),
  'utf8',
)

/** The cells of the table with this head, without the code marks. */
function rowsOf(head: string): string[][] {
  const table = page.split(`| ${head} |`)[1]?.split('\n\n')[0] ?? ''
  return table
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
}

test('docs/integrators/webhook-receiver.md lists every address of receivers, with its members', () => {
  const listed = rowsOf('Address').map(([, address, members = '']) => [address, members])
  assert.deepEqual(listed, [
    [RECEIVER_PATH, RECEIVER_MEMBERS.show.join(', ')],
    ...RECEIVER_ACTIONS.map((action) => [
      `${RECEIVER_PATH}/${action}`,
      RECEIVER_MEMBERS[action].join(', '),
    ]),
  ])
})

test('docs/integrators/webhook-receiver.md lists every code with which receivers refuse, and its HTTP status', () => {
  const codes = new Map(rowsOf('Code').map(([, code = '', status]) => [code, Number(status)]))
  assert.deepEqual([...codes].toSorted(), [...receiverRefusals()].toSorted())
})

test('docs/integrators/webhook-receiver.md lists every fault of a delivery', () => {
  const kinds = page.split('| `kind` | Effect |')[1]?.split('\n\n')[0] ?? ''
  const listed = [...kinds.matchAll(/^\| `(\w+)`/gm)].map(([, kind]) => kind)
  assert.deepEqual(listed, FAULT_KINDS)
})
