import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  clusterFile,
  readClusterFile,
} from '../../../../src/adapters/postgres/connection/cluster-memory.ts'
import {
  choosePrimary,
  raiseMark,
  type AskedServer,
  type ServerState,
} from '../../../../src/adapters/postgres/connection/primary-choice.ts'

function aServer(label: string, changes: Partial<ServerState> = {}): AskedServer {
  const state = {
    takesWrites: true,
    isStandby: false,
    timeline: 1,
    systemIdentifier: '71',
    startedAt: label,
    ...changes,
  }
  return { label, state }
}

const aStandby = (label: string, timeline: number): AskedServer =>
  aServer(label, { takesWrites: false, isStandby: true, timeline })

const gone: AskedServer = { label: 'gone:5432', state: new Error('connect ECONNREFUSED') }
const MARK = { systemIdentifier: '71', timeline: 2 }

function refusal(servers: readonly AskedServer[], mark = MARK as typeof MARK | null): string {
  const choice = choosePrimary(servers, mark)
  return choice.ok ? `chose ${choice.at}` : choice.reason
}

test('the primary with the highest timeline is chosen, wherever it stands in the list', () => {
  const [old, present] = [aServer('a'), aServer('b', { timeline: 2 })]
  assert.equal(refusal([old, present], null), 'chose 1')
  assert.equal(refusal([present, old], null), 'chose 0')
  assert.equal(refusal([gone, aStandby('c', 2), present]), 'chose 2')
})

test('an old primary is refused when it is the only one that answers', () => {
  assert.match(refusal([aServer('a:1'), gone]), /a:1 is an old primary: it is on timeline 1.*2/)
  assert.equal(refusal([aServer('a:1'), gone], null), 'chose 0')
})

test('a standby on a higher timeline proves that the only primary is an old one', () => {
  assert.match(refusal([aServer('a'), aStandby('c', 2)], null), /a is an old primary/)
})

test('two primaries on one timeline are both refused, and two addresses of one server are not', () => {
  const [a, b] = [aServer('a', { timeline: 3 }), aServer('b', { timeline: 3 })]
  assert.match(refusal([a, b]), /a and b both accept writes on timeline 3/)
  const sameServer = aServer('c', { timeline: 3, startedAt: 'a' })
  assert.equal(refusal([a, sameServer]), 'chose 0')
})

test('a primary of another cluster is refused, with and without a mark', () => {
  const foreign = aServer('x', { systemIdentifier: '99', timeline: 9 })
  assert.match(refusal([foreign]), /x is of the cluster 99.*worked with 71.*database accept/)
  assert.match(refusal([aServer('a'), foreign], null), /must be copies of one cluster/)
})

test('a refusal without a primary names what each server reported', () => {
  const reason = refusal([aStandby('c', 2), gone])
  assert.match(reason, /c is a standby, or read-only; gone:5432: connect ECONNREFUSED/)
})

test('a mark rises with each timeline and never falls', () => {
  assert.deepEqual(raiseMark(MARK, { systemIdentifier: '71', timeline: 3 }).timeline, 3)
  assert.equal(raiseMark(MARK, { systemIdentifier: '71', timeline: 1 }), MARK)
})

test('a node keeps its mark in its folder, and a command never changes it', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-mark-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const [node, command] = [clusterFile(folder), readClusterFile(folder)]
  assert.equal(node.read(), null)

  node.write(MARK)
  command.write({ systemIdentifier: '71', timeline: 9 })
  assert.deepEqual([node.read(), command.read()], [MARK, MARK])

  writeFileSync(join(folder, 'database-cluster.json'), '{"timeline":')
  assert.equal(node.read(), null)
})
