import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitUnproven } from '../../../src/usecases/audit/request-log-limits.ts'
import type { RequestLogEntry } from '../../../src/usecases/audit/request-log.ts'

function entry(merchantId: bigint | null, isUnproven: boolean): RequestLogEntry {
  return {
    requestId: 1n,
    receivedAt: new Date(0),
    merchantId,
    isUnproven,
    siteId: null,
    username: merchantId === null ? '' : 'shop',
    address: '192.0.2.1',
    action: 'CCAUTHCAP',
    parameters: '{}',
    httpStatus: 200,
    apiCode: '101',
    serviceCode: 0,
    refField: '',
    state: '',
    orderId: null,
    transactionId: null,
    tookMs: 1,
  }
}

/** Shares of so many entries, which are never filled again. */
function logWith(anonymous: number, named: number) {
  const kept: RequestLogEntry[] = []
  const log = limitUnproven((each) => kept.push(each), {
    takeAnonymous: () => (anonymous -= 1) >= 0,
    takeNamed: () => (named -= 1) >= 0,
  })
  return { log, kept: () => kept.map(({ merchantId, username }) => [merchantId, username]) }
}

test('requests with a right login are kept when every share is used up', () => {
  const { log, kept } = logWith(0, 0)
  for (let at = 0; at < 5; at += 1) log(entry(10n, false))
  assert.equal(kept().length, 5)
})

test('refused logins of a known user fill the share of its merchant, then that of the anonymous', () => {
  const { log, kept } = logWith(1, 2)
  for (let at = 0; at < 5; at += 1) log(entry(10n, true))
  assert.deepEqual(kept(), [
    [10n, 'shop'],
    [10n, 'shop'],
    [null, ''],
  ])
})

test('anonymous requests never enter the log of a merchant, and end with their share', () => {
  const { log, kept } = logWith(2, 9)
  for (let at = 0; at < 5; at += 1) log(entry(null, true))
  assert.deepEqual(kept(), [
    [null, ''],
    [null, ''],
  ])
})
