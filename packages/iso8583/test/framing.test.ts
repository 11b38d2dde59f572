import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { FrameReader, FrameWriter, Iso8583Error, frame } from '../src/index.ts'
import { between, seededRandom } from './support.ts'

const message = (length: number, byte: number) => Buffer.alloc(length, byte)

test('a frame is the message behind its length in two big-endian bytes', () => {
  const framed = frame(message(300, 7))

  assert.equal(framed.subarray(0, 3).toString('hex'), '012c07')
  assert.equal(framed.length, 302)
})

test('messages under 12 and over 8192 bytes have no frame', () => {
  for (const length of [0, 11, 8193]) {
    assert.throws(() => frame(message(length, 1)), { code: 'frame_length_invalid' })
  }
  for (const length of [12, 8192]) assert.equal(frame(message(length, 1)).length, length + 2)
})

test('two frames torn at any byte come out whole', () => {
  const messages = [message(12, 1), message(40, 2)]
  const stream = Buffer.concat(messages.map(frame))
  for (let cut = 0; cut <= stream.length; cut++) {
    const reader = new FrameReader()
    const found = [...reader.push(stream.subarray(0, cut)), ...reader.push(stream.subarray(cut))]
    assert.deepEqual(found, messages, `cut at ${cut}`)
    assert.ok(reader.isBetweenMessages)
  }
})

test('frames come out whole when each byte comes by itself', () => {
  const messages = [message(12, 1), message(300, 2), message(8192, 3)]
  const reader = new FrameReader()
  const found: Buffer[] = []
  for (const byte of Buffer.concat(messages.map(frame))) found.push(...reader.push(Buffer.of(byte)))
  assert.deepEqual(found, messages)
})

test('frames come out whole and in order however the stream is cut', () => {
  const random = seededRandom(2)
  const messages = Array.from({ length: 500 }, (_, index) =>
    message(between(random, 12, 900), index),
  )
  const stream = Buffer.concat(messages.map(frame))
  const reader = new FrameReader()
  const found: Buffer[] = []
  for (let at = 0; at < stream.length;) {
    const end = at + between(random, 1, 3_000)
    found.push(...reader.push(stream.subarray(at, end)))
    at = end
  }
  assert.deepEqual(found, messages)
})

test('a length out of range is refused as soon as both its bytes are there', () => {
  for (const [high, low] of [
    [0, 0],
    [0, 11],
    [0x20, 0x01],
    [0xff, 0xff],
  ] as const) {
    const reader = new FrameReader()
    assert.deepEqual(reader.push(Buffer.of(high)), [])
    assert.throws(() => reader.push(Buffer.of(low)), { code: 'frame_length_invalid' })
    assert.throws(() => reader.push(frame(message(12, 1))), { code: 'frame_length_invalid' })
  }
})

test('messages before an invalid length are still returned', () => {
  const reader = new FrameReader()
  const good = message(12, 1)

  const found = reader.push(Buffer.concat([frame(good), Buffer.of(0, 1), frame(good)]))

  assert.deepEqual(found, [good])
  assert.ok(reader.fault instanceof Iso8583Error)
  assert.throws(() => reader.push(Buffer.of(0)), reader.fault)
})

test('frames written in one turn reach the socket in one piece, those of the next in another', async () => {
  const pieces: Buffer[] = []
  const socket = { writable: true, write: (bytes: Buffer) => pieces.push(bytes) }
  const writer = new FrameWriter(socket as unknown as Socket)
  const [first, second, third] = [message(12, 1), message(13, 2), message(14, 3)]

  writer.write(first)
  writer.write(second)
  assert.equal(pieces.length, 0)
  await new Promise((resolve) => setImmediate(resolve))
  writer.write(third)
  await new Promise((resolve) => setImmediate(resolve))

  assert.deepEqual(pieces, [Buffer.concat([frame(first), frame(second)]), frame(third)])
})
