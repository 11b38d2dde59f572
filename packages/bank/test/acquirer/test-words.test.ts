import { decodePrivateData, encodePrivateData } from '@tollgate/iso8583'
import type { IsoMessage } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestFaults } from '../../src/acquirer/test-faults.ts'
import { aBank, aCapture, aCardCheck, aReversal } from '../support/test-bank.ts'
import { anAuthorization, repeated } from '../support/test-bank.ts'

/** The message with the words of a test. */
function withWords({ fields, mti }: IsoMessage, words: string): IsoMessage {
  const tags = { ...decodePrivateData(fields[48] ?? ''), TT: words }
  return { mti, fields: { ...fields, 48: encodePrivateData(tags) } }
}

test('an advice is misled once: its repeat has no fault, even with the same words', () => {
  const faults = new TestFaults()
  const capture = withWords(aCapture(anAuthorization(), 600n), 'de39=96')
  const first = faults.faultOf(capture, 'capture')
  assert.deepEqual(first, { kind: 'code', code: '96', applied: false })
  assert.equal(faults.faultOf(repeated(capture), 'capture'), null)
  assert.equal(faults.faultOf(aCapture(anAuthorization(), 600n), 'capture'), undefined)
})

test('the reversal of a payment is misled by the words of the payment', () => {
  const faults = new TestFaults()
  const payment = withWords(anAuthorization(), 'reversal=96')
  assert.equal(faults.faultOf(payment, 'request'), null)
  const reversal = aReversal(payment)
  const fault = faults.faultOf(reversal, 'reversal')
  assert.deepEqual(fault, { kind: 'code', code: '96', applied: false })
  assert.equal(faults.faultOf(repeated(reversal), 'reversal'), undefined)
})

test('a bank that plays a live acquirer answers 30 to a test, and so does every bank to unknown words', async (t) => {
  const live = await aBank(t, undefined, { triggers: false })
  const asked = await live.send(withWords(anAuthorization(), 'de39=00'))
  assert.equal(asked.fields[39], '30')
  const bank = await aBank(t)
  const unknown = await bank.send(withWords(anAuthorization(), 'de39=0'))
  assert.equal(unknown.fields[39], '30')
})

test('a card check that a test approves has an authorization code and holds nothing', async (t) => {
  const bank = await aBank(t)
  const { fields } = await bank.send(withWords(aCardCheck(), 'de39=00'))
  assert.equal(fields[39], '00')
  assert.match(fields[38] ?? '', /^[0-9A-Z]{6}$/)
})
