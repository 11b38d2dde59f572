import { decodePrivateData, encodePrivateData } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readAuthorizationAnswer } from '../../../src/adapters/processor-iso8583/answers.ts'
import { authorizationMessage } from '../../../src/adapters/processor-iso8583/messages.ts'
import { Secret } from '../../../src/base/secret.ts'
import { CardNumber } from '../../../src/domain/payments/card-number.ts'
import type { AuthorizationRequest } from '../../../src/usecases/banks/processor.ts'
import type { AuthenticationValues } from '../../../src/usecases/three-ds/three-ds-request.ts'
import { aSale } from '../../support/a-sale.ts'

const CAVV = 'AAABBJkZUQAAAABjRWWZEEFgFz8='
const DS_TRANS_ID = 'f25084f0-5b16-4c0a-ae5d-b24808a95e4b'
const VISA = '4000000000002701'
const MASTERCARD = '5200000000002235'

const FULL: AuthenticationValues = {
  eci: '05',
  cavv: new Secret(CAVV),
  dsTransId: DS_TRANS_ID,
  version: '2.2.0',
}

function aRequest(authentication: AuthenticationValues | null, pan = VISA): AuthorizationRequest {
  return aSale({ authentication, pan: new CardNumber(pan), expiry: { month: 12, year: 2030 } })
}

function privateData(authentication: AuthenticationValues | null): Record<string, string> {
  return decodePrivateData(authorizationMessage(aRequest(authentication)).fields[48] ?? '')
}

test('without 3-D Secure the private data are those of an unauthenticated payment', () => {
  const message = authorizationMessage(aRequest(null))
  assert.equal(message.fields[48], encodePrivateData({ EC: '07', AT: 'F', CP: '0' }))
})

test('the bank gets ECI, CAVV, id and version of an authentication', () => {
  assert.deepEqual(privateData(FULL), {
    AT: 'F',
    CP: '0',
    EC: '05',
    CA: '000001049919510000000063456599104160173f',
    DS: DS_TRANS_ID,
    '3V': '2.2.0',
  })
})

test('the bank gets the ECI of the Directory Server unchanged, on either scale', () => {
  for (const eci of ['05', '06', '01', '02']) assert.equal(privateData({ ...FULL, eci })['EC'], eci)
  assert.equal(privateData({ ...FULL, eci: '' })['EC'], '07')
})

test('the bank gets no authentication without a CAVV, with any ECI', () => {
  for (const eci of ['05', '06', '07', '00', '']) {
    assert.deepEqual(privateData({ ...FULL, eci, cavv: null }), privateData(null), eci)
  }
})

test('an unknown id or version is left out', () => {
  const tags = privateData({ ...FULL, dsTransId: '', version: '' })
  assert.deepEqual([tags['DS'], tags['3V']], [undefined, undefined])
})

function serviceCode(
  code: string,
  authentication: AuthenticationValues | null,
  pan: string,
): number {
  const answer = { mti: '0110', fields: { 4: '000000001250', 39: code } }
  const outcome = readAuthorizationAnswer(answer, aRequest(authentication, pan))
  assert.ok(outcome.kind === 'declined')
  return outcome.serviceCode
}

test("an issuer's request for authentication is 670, by each brand's code for it", () => {
  assert.equal(serviceCode('1A', null, VISA), 670)
  assert.equal(serviceCode('65', null, MASTERCARD), 670)
  assert.equal(serviceCode('Q1', FULL, VISA), 670)
})

test('65 is too many uses for other brands, and for a Mastercard that was authenticated', () => {
  assert.equal(serviceCode('65', null, VISA), 625)
  assert.equal(serviceCode('65', { ...FULL, eci: '02' }, MASTERCARD), 625)
})
