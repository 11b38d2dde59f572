import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chainFault, NO_PREVIOUS } from '../../../src/domain/settlement/file-chain.ts'
import { FileReader } from '../../../src/domain/settlement/file-reader.ts'
import type { FileHeader } from '../../../src/domain/settlement/file-record.ts'
import { messageOfKey } from '../../../src/domain/settlement/message-key.ts'
import { goldenText, sha256 } from './file-text.ts'

const SOURCE = {
  id: 1n,
  merchantId: 1n,
  merchantAccountId: 2001n,
  mode: 'test',
  sender: 'bank-demo',
  receiver: 'gw-01',
  account: 'MA-1042',
  currency: 'EUR',
} as const
const LAST = { seq: 416n, contentSha256: 'a'.repeat(64), closingMinor: 1250n }

function header(change: Partial<FileHeader>): FileHeader {
  const reader = new FileReader(sha256())
  reader.push(new TextEncoder().encode(goldenText()))
  return { ...reader.end().header, ...change }
}

const next = { prevSha256: LAST.contentSha256, openingMinor: 1250n }
const faultOf = (change: Partial<FileHeader>, last: typeof LAST | null): string => {
  const fault = chainFault(header(change), SOURCE, last)
  return fault === null ? 'none' : `${fault.code} ${fault.line} ${fault.reason}`
}

test('the first file of a source may have any number, and opens at zero without a previous file', () => {
  assert.equal(faultOf({ seq: 9n }, null), 'none')
  assert.match(faultOf({ openingMinor: 1n }, null), /^S14 1 opening is 0\.01; .* is 0\.00\.$/)
  assert.match(faultOf(next, null), /^S13/)
  assert.equal(NO_PREVIOUS.length, 64)
})

test('a later file has the next number, names the file before it, and opens where that closed', () => {
  assert.equal(faultOf(next, LAST), 'none')
  assert.match(faultOf({ ...next, seq: 416n }, LAST), /^S11 1 File 416 is booked already/)
  assert.match(faultOf({ ...next, seq: 1n }, LAST), /^S11/)
  assert.match(
    faultOf({ ...next, seq: 418n }, LAST),
    /^S12 1 The file is 418; the next one is 417\.$/,
  )
  assert.match(
    faultOf({ ...next, prevSha256: NO_PREVIOUS }, LAST),
    /^S13 1 prev_sha256 is 0{64}; the previous file has a{64}\.$/,
  )
  assert.match(
    faultOf({ ...next, openingMinor: 1251n }, LAST),
    /^S14 1 opening is 12\.51; .* is 12\.50\.$/,
  )
})

test('a file for another receiver or of another mode is foreign', () => {
  assert.match(
    faultOf({ receiver: 'gw-02' }, null),
    /^S10 1 The receiver is gw-02; expected gw-01\.$/,
  )
  assert.match(
    faultOf({ mode: 'live' }, null),
    /^S10 1 The mode is live; the merchant account is test\.$/,
  )
})

test('a key of DE 32, 41, 11 and 7 names a message; a key of another form names none', () => {
  assert.equal(messageOfKey('500001/T0000000/000001/1119100000'), 0n)
  assert.equal(messageOfKey('500001/T0000002/000007/1119100000'), 2n * 999_999n + 6n)
  assert.equal(messageOfKey('500001/0000002/000007/1119100000'), null)
  assert.equal(messageOfKey('x500001/T0000002/000007/1119100000'), null)
  assert.equal(messageOfKey('500001/T0000002/000007/11191000001'), null)
  assert.equal(messageOfKey('880101'), null)
  assert.equal(messageOfKey(null), null)
})
