import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerMti, answerTo, encodeOriginalData, messageKey } from '../src/index.ts'
import { originalMessageKey, pairingKey, repeatMti } from '../src/index.ts'
import { CODECS, anAuthorization } from './support.ts'

/** Request, its repeat, and the answer to both. */
const PAIRS = [
  ['0100', '0101', '0110'],
  ['0102', '0103', '0112'],
  ['0120', '0121', '0130'],
  ['0200', '0201', '0210'],
  ['0220', '0221', '0230'],
  ['0400', '0401', '0410'],
  ['0420', '0421', '0430'],
  ['0500', '0501', '0510'],
  ['0520', '0521', '0530'],
  ['0600', '0601', '0610'],
  ['0800', '0801', '0810'],
  ['1100', '1101', '1110'],
  ['1420', '1421', '1430'],
  ['1804', '1805', '1814'],
] as const

test('a request, its repeat and their answer have one pairing key', () => {
  for (const [request, repeat, answer] of PAIRS) {
    const keys = [request, repeat, answer].map((mti) =>
      pairingKey({ ...anAuthorization('7'), mti }),
    )
    assert.equal(new Set(keys).size, 1, request)
  }
})

test('messages of two classes or versions never have one pairing key', () => {
  const keys = ['0100', '0200', '0400', '0500', '0800', '1100'].map((mti) =>
    pairingKey({ ...anAuthorization('7'), mti }),
  )
  assert.equal(new Set(keys).size, keys.length)
})

test('a request and its repeat are answered by one type', () => {
  for (const [request, repeat, answer] of PAIRS) {
    assert.equal(answerMti(request), answer)
    assert.equal(answerMti(repeat), answer)
  }
})

test('a repeat differs in its last digit only, and repeats into itself', () => {
  for (const [request, repeat] of PAIRS) {
    assert.equal(repeatMti(request), repeat)
    assert.equal(repeatMti(repeat), repeat)
  }
})

test('an answer has neither an answer nor a repeat, and a notification no answer', () => {
  for (const mti of ['0110', '0130', '0810']) {
    assert.throws(() => answerMti(mti), { code: 'mti_has_no_answer' })
    assert.throws(() => repeatMti(mti), { code: 'mti_has_no_repeat' })
  }
  assert.throws(() => answerMti('0140'), { code: 'mti_has_no_answer' })
  assert.throws(() => answerMti('9999'), { code: 'mti_invalid' })
})

test('the message key is DE 32, 41, 11 and 7, and each of them distinguishes two messages', () => {
  const message = anAuthorization('7')
  assert.equal(messageKey(message), '400001/T0000001/000007/1121142530')

  for (const change of [
    { 32: '400002' },
    { 41: 'T0000002' },
    { 11: '000008' },
    { 7: '1121142531' },
  ]) {
    assert.notEqual(messageKey(anAuthorization('7', change)), messageKey(message))
  }
})

test('the message key is the same before the wire and after it', () => {
  const message = anAuthorization('7', { 41: 'T1', 11: '7', 7: '121142530' })
  for (const codec of CODECS) {
    assert.equal(messageKey(codec.decode(codec.encode(message))), messageKey(message))
  }
})

test('a message without one of the four fields has no key', () => {
  for (const field of [32, 41, 11, 7]) {
    const message = anAuthorization('7')
    delete message.fields[field]
    assert.throws(() => messageKey(message), { code: 'field_missing', field })
  }
})

test('DE 90 with the terminal of its own message gives the key of the original', () => {
  const original = anAuthorization('7')
  const data = { mti: '0100', stan: '000007', transmissionTime: '1121142530', acquirerId: '400001' }
  const advice = { ...anAuthorization('8', { 90: encodeOriginalData(data) }), mti: '0220' }

  assert.equal(originalMessageKey(advice), messageKey(original))
  assert.throws(() => originalMessageKey(original), { code: 'field_missing', field: 90 })
})

test('an answer repeats what identifies its request and nothing of the card', () => {
  const request = anAuthorization('7', { 37: '632514000007', 14: '2912' })

  const answer = answerTo(request, { 39: '00', 4: '000000005000' })

  assert.equal(answer.mti, '0110')
  assert.deepEqual(Object.keys(answer.fields), ['3', '4', '7', '11', '32', '37', '39', '41'])
  assert.equal(pairingKey(answer), pairingKey(request))
  assert.equal(answer.fields[4], '000000005000')
})
