import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptedFormat, listFile, type FileFormat } from '../../../src/http/api/list-files.ts'
import type { ListObject } from '../../../src/http/api/list-objects.ts'
import type { ListAnswerPage } from '../../../src/usecases/queries/read-list.ts'

/** A file of so many pieces; `read` counts those that were read. */
function fileOf(count: number, format: FileFormat, failsAt = Infinity) {
  const read = { pieces: 0, ended: 0 }
  async function* pieces(): AsyncGenerator<ListAnswerPage<ListObject>> {
    for (let piece = 1; piece <= count; piece += 1) {
      read.pieces += 1
      if (piece === failsAt) throw new Error('The database is away.')
      await Promise.resolve()
      yield {
        rows: [{ row: { po_id: String(piece), note: 'x'.repeat(50_000) }, cursor: `c${piece}` }],
        next: piece < count ? `c${piece}` : null,
      }
    }
  }
  const stream = listFile({
    list: 'orders',
    format,
    completeUntil: new Date(0),
    pieces: pieces(),
    hasCount: true,
    onEnd: () => (read.ended += 1),
  })
  return { read, stream }
}

for (const format of ['jsonl', 'csv'] as const) {
  test(`a ${format} file of 1000 pieces holds at most three that the client has not taken`, async () => {
    const { read, stream } = fileOf(1_000, format)
    let taken = 0
    let most = 0
    for await (const text of stream as AsyncIterable<Buffer>) {
      // A slow client: everything that can be read meanwhile is read.
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate)
      taken += text.toString().includes(format === 'csv' ? '"c' : '"cursor":"c') ? 1 : 0
      most = Math.max(most, read.pieces - taken)
    }
    assert.equal(read.pieces, 1_000)
    assert.ok(most <= 3, `${most} pieces were held`)
    assert.equal(read.ended, 1)
  })
}

test('a file whose list cannot be read on has no end, and fails', async () => {
  const { read, stream } = fileOf(5, 'jsonl', 3)
  let text = ''
  await assert.rejects(async () => {
    for await (const part of stream as AsyncIterable<Buffer>) text += part.toString()
  }, /database is away/)
  assert.ok(text.includes('"cursor":"c2"'))
  assert.ok(!text.includes('"end"'))
  assert.equal(read.ended, 1)
})

test('a client that goes ends the reading of the list', async () => {
  const { read, stream } = fileOf(1_000, 'jsonl')
  stream.on('error', () => undefined)
  for await (const part of stream as AsyncIterable<Buffer>) {
    assert.ok(part.length > 0)
    break
  }
  await new Promise<void>((closed) => (stream.closed ? closed() : stream.once('close', closed)))
  assert.ok(read.pieces <= 3)
  assert.equal(read.ended, 1)
})

test('the header Accept chooses the format by its first known type', () => {
  assert.equal(acceptedFormat(undefined), 'json')
  assert.equal(acceptedFormat('*/*'), 'json')
  assert.equal(acceptedFormat('text/html, text/csv;q=0.9'), 'csv')
  assert.equal(acceptedFormat('application/x-ndjson'), 'jsonl')
  assert.equal(acceptedFormat('application/jsonl, text/csv'), 'jsonl')
  assert.equal(acceptedFormat('application/json, text/csv'), 'json')
})
