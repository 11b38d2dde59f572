import { decodePrivateData } from '@tollgate/iso8583'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizationMessage } from '../../../src/adapters/processor-iso8583/messages.ts'
import { aSale } from '../../support/a-sale.ts'

const aRequest = (businessTime: Date | null) => aSale({ businessTime })

test('the bank gets the time of a site with a clock of its own, in whole seconds of UTC, and nothing else differs', () => {
  const usual = authorizationMessage(aRequest(null))
  const clocked = authorizationMessage(aRequest(new Date('2036-02-29T23:59:58.999Z')))
  const { BD, ...rest } = decodePrivateData(clocked.fields[48] ?? '')
  assert.equal(BD, '20360229235958')
  assert.deepEqual(rest, decodePrivateData(usual.fields[48] ?? ''))
  assert.deepEqual({ ...clocked.fields, 48: '' }, { ...usual.fields, 48: '' })
})

test('the bank gets no time of a site that goes by the real time', () => {
  assert.equal(
    'BD' in decodePrivateData(authorizationMessage(aRequest(null)).fields[48] ?? ''),
    false,
  )
})
