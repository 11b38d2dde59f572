import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import {
  addressKey,
  createConnectionTable,
  type ConnectionTable,
  type ConnectionTableOptions,
} from '../../../src/http/servers/connection-table.ts'

/** As much of a socket as the table touches. */
class FakeSocket extends EventEmitter {
  isCut = false
  writableLength = 0
  bytesWritten = 0
  readonly remoteAddress: string
  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }
  destroy(): void {
    this.isCut = true
    this.emit('close')
  }
}

interface Scene {
  readonly table: ConnectionTable
  arrive(address?: string): FakeSocket & Socket
  pay(socket: Socket): void
  pass(ms: number): void
}

function aTable(options: Partial<ConnectionTableOptions> = {}): Scene {
  let now = 0
  const table = createConnectionTable({
    connections: 3,
    connectionsPerAddress: 0,
    answerTimeoutMs: 1_000,
    quietTimeoutMs: 10_000,
    hasNoShare: (address) => address === '10.0.0.1',
    monotonicMs: () => now,
    ...options,
  })
  return {
    table,
    arrive(address = '192.0.2.1') {
      const socket = new FakeSocket(address) as FakeSocket & Socket
      table.admit(socket)
      return socket
    },
    pay(socket) {
      table.begin(socket)
      table.answered(socket)
    },
    pass: (ms) => (now += ms),
  }
}

const cutOf = (...sockets: readonly FakeSocket[]): boolean[] => sockets.map(({ isCut }) => isCut)

test('a full table cuts the connection that waited longest without a request', () => {
  const { arrive, pay, pass, table } = aTable()
  const payer = arrive()
  pay(payer)
  const silent = arrive()
  const silentToo = arrive()
  pass(1_000)
  const newcomer = arrive()
  assert.deepEqual(cutOf(payer, silent, silentToo, newcomer), [false, true, false, false])
  assert.deepEqual(table.counts(), { open: 3, cut: { full: 1, address: 0, unread: 0, quiet: 0 } })
})

test('a new client gets time to send a request before the client that was kept longest', () => {
  const { arrive, pay, pass } = aTable()
  const [older, newer] = [arrive(), arrive()]
  pass(2_000)
  pay(older)
  pass(1)
  pay(newer)
  const fresh = arrive()
  pass(999)
  arrive()
  assert.deepEqual(cutOf(older, newer, fresh), [true, false, false])
})

test('a connection whose request is under way is never cut; when all are, the new one is', () => {
  const { arrive, pass, table } = aTable()
  const busy = [arrive(), arrive(), arrive()]
  for (const socket of busy) table.begin(socket)
  pass(60_000)
  const newcomer = arrive()
  assert.deepEqual(cutOf(...busy, newcomer), [false, false, false, true])
  const [first] = busy
  assert.ok(first)
  table.answered(first)
  const early = arrive()
  assert.deepEqual(cutOf(...busy, early), [false, false, false, true])
  pass(100)
  const next = arrive()
  assert.deepEqual(cutOf(...busy, next), [true, false, false, false])
})

test('of two requests on one connection both must be answered before it may be cut', () => {
  const { arrive, pass, table } = aTable({ connections: 1 })
  const socket = arrive()
  table.begin(socket)
  table.begin(socket)
  table.answered(socket)
  pass(5_000)
  assert.deepEqual(cutOf(arrive(), socket), [true, false])
  table.answered(socket)
  pass(100)
  assert.deepEqual(cutOf(arrive(), socket), [false, true])
})

test('an address gets its share, and its new connection cuts its own longest waiting one', () => {
  const { arrive, table } = aTable({ connections: 100, connectionsPerAddress: 2 })
  const newcomer = arrive('198.51.100.7')
  const [busy, calm] = [arrive(), arrive()]
  table.begin(busy)
  const third = arrive()
  assert.deepEqual(cutOf(newcomer, busy, calm, third), [false, false, true, false])
  table.begin(third)
  assert.deepEqual(cutOf(arrive(), busy, third), [true, false, false])
  assert.deepEqual(table.counts(), { open: 3, cut: { full: 0, address: 2, unread: 0, quiet: 0 } })
})

test('a closed connection frees its place and its share', () => {
  const { arrive, table } = aTable({ connectionsPerAddress: 1 })
  for (let visit = 0; visit < 10; visit += 1) {
    const socket = arrive()
    assert.equal(socket.isCut, false)
    socket.destroy()
  }
  assert.deepEqual(table.counts(), { open: 0, cut: { full: 0, address: 0, unread: 0, quiet: 0 } })
})

test('an address whose last answers are being sent has to wait with its next connection', () => {
  const { arrive, pay, pass } = aTable({ connections: 100, connectionsPerAddress: 1 })
  const paid = arrive()
  pay(paid)
  assert.deepEqual(cutOf(arrive(), paid), [true, false])
  pass(100)
  assert.deepEqual(cutOf(arrive(), paid), [false, true])
})

test('closing cuts all connections except those with a request under way or an answer being sent', () => {
  const { arrive, pay, pass, table } = aTable({ connections: 100 })
  const [silent, idle, deaf, paid, busy] = [arrive(), arrive(), arrive(), arrive(), arrive()]
  pay(idle)
  pay(deaf)
  deaf.writableLength = 10
  pass(100)
  pay(paid)
  table.begin(busy)
  table.cutWaiting()
  assert.deepEqual(cutOf(silent, idle, deaf, paid, busy), [true, true, false, false, false])
})

test('a proxy has no share, but its connections count like others', () => {
  const { arrive } = aTable({ connectionsPerAddress: 1 })
  const sockets = [1, 2, 3, 4].map(() => arrive('10.0.0.1'))
  assert.deepEqual(cutOf(...sockets), [true, false, false, false])
})

test('a client that reads nothing of its answer is cut, and one that reads a little is not', () => {
  const { arrive, pay, pass, table } = aTable()
  const [deaf, slow, done] = [arrive(), arrive(), arrive()]
  for (const socket of [deaf, slow, done]) {
    pay(socket)
    socket.bytesWritten = 5_000
  }
  deaf.writableLength = slow.writableLength = 4_000
  for (let second = 0; second <= 4; second += 1) {
    table.cutIdle()
    slow.writableLength -= 1
    pass(500)
  }
  assert.deepEqual(cutOf(deaf, slow, done), [true, false, false])
  assert.deepEqual(table.counts(), { open: 2, cut: { full: 0, address: 0, unread: 1, quiet: 0 } })
})

test('a client without requests is cut, however its connection is kept alive', () => {
  const { arrive, pay, pass, table } = aTable({ connections: 10 })
  const [silent, paid, busy] = [arrive(), arrive(), arrive()]
  table.begin(busy)
  pass(1)
  pay(paid)
  pass(9_999)
  table.cutIdle()
  assert.deepEqual(cutOf(silent, paid, busy), [true, false, false])
  pass(1)
  table.cutIdle()
  assert.deepEqual(cutOf(paid, busy), [true, false])
  assert.deepEqual(table.counts().cut, { full: 0, address: 0, unread: 0, quiet: 2 })
})

test('the time of a client to read its answer begins with the answer', () => {
  const { arrive, pass, table } = aTable()
  const socket = arrive()
  table.begin(socket)
  pass(25_000)
  socket.writableLength = socket.bytesWritten = 100
  table.answered(socket)
  table.cutIdle()
  assert.equal(socket.isCut, false)
})

test('a connection over TLS is counted once, and cut at the socket that is used', () => {
  const { arrive, table, pass } = aTable({ connections: 1 })
  const outer = arrive()
  const inner = new FakeSocket('192.0.2.1') as FakeSocket & Socket
  table.wrap(outer, inner)
  table.begin(inner)
  pass(5_000)
  assert.deepEqual(cutOf(arrive()), [true])
  table.answered(inner)
  pass(100)
  arrive()
  assert.equal(inner.isCut, true)
  assert.equal(table.counts().open, 1)
})

test('an IPv6 network of 64 bits is one address, and an IPv4 address is the same in both forms', () => {
  const keys = [
    '2001:db8:0:1::1',
    '2001:0DB8::1:2:3:4:5',
    '2001:db8:0:1:2:3:4:5',
    '2001:db8:0:2::1',
    '::1',
  ]
  assert.deepEqual(keys.map(addressKey), [
    '2001:db8:0:1::/64',
    '2001:db8:0:1::/64',
    '2001:db8:0:1::/64',
    '2001:db8:0:2::/64',
    '0:0:0:0::/64',
  ])
  assert.equal(addressKey('::ffff:192.0.2.9'), addressKey('192.0.2.9'))
  assert.equal(addressKey('2001:db8:1:2:3::4:5'), '2001:db8:1:2::/64')
})
