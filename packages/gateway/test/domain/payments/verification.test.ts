import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  AVS_CODES,
  CVV_CODES,
  decideVerification,
  readCheckMode,
} from '../../../src/domain/payments/verification.ts'
import type { CheckMode } from '../../../src/domain/payments/verification.ts'

for (const mode of ['T', 'F', 'C', 'I'] as const) {
  test(`${mode} is a check mode in either case`, () => {
    assert.equal(readCheckMode(mode), mode)
    assert.equal(readCheckMode(mode.toLowerCase()), mode)
  })
}

for (const text of ['', '1', '0', '2', '3', 'TRUE', 'TF', 'X', ' T']) {
  test(`'${text}' is no check mode and leaves the default in force`, () => {
    assert.equal(readCheckMode(text), null)
  })
}

test('there are 26 address results and 6 security code results, each with its own letter', () => {
  assert.equal(Object.keys(AVS_CODES).join(''), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ')
  assert.equal(Object.keys(CVV_CODES).join(''), 'MNPSUX')
})

/** The results that a new site accepts, as the migrations have it. */
const [DEFAULT_AVS_SET = '', DEFAULT_CVV_SET = ''] = ['avs', 'cvv'].map((check) => {
  const schema = new URL('../../../../../migrations/schema.sql', import.meta.url)
  const column = new RegExp(`${check}_match_set text not null default '([A-Z]+)'`)
  return column.exec(readFileSync(schema, 'utf8'))?.[1] ?? ''
})

test('a new site accepts every address result but C, K and N', () => {
  const refused = Object.keys(AVS_CODES).filter((code) => !DEFAULT_AVS_SET.includes(code))
  assert.deepEqual(refused, ['C', 'K', 'N'])
})

test('a new site accepts only a match of the security code', () => {
  assert.equal(DEFAULT_CVV_SET, 'M')
})

/**
 * Every pair of modes against every pair of results: + in the set, - outside it, ? none given.
 * One row a pair of modes (address, code), one letter a pair of results in the order
 * ++ +- +? -+ -- -? ?+ ?- ??: p passed, a address failed, c security code failed.
 */
const OUTCOMES: readonly (readonly [modes: string, outcomes: string])[] = [
  ['TT', 'pcc aaa aaa'],
  ['TF', 'ppp aaa aaa'],
  ['TI', 'ppp aaa aaa'],
  ['TC', 'ppp aaa aaa'],
  ['FT', 'pcc pcc pcc'],
  ['FF', 'ppp ppp ppp'],
  ['FI', 'ppp ppp ppp'],
  ['FC', 'pcc pcc pcc'],
  ['IT', 'pcc pcc pcc'],
  ['IF', 'ppp ppp ppp'],
  ['II', 'ppp ppp ppp'],
  ['IC', 'ppp pcc pcc'],
  ['CT', 'pcc paa paa'],
  ['CF', 'ppp aaa aaa'],
  ['CI', 'ppp paa paa'],
  ['CC', 'ppp paa paa'],
]

for (const [modes, outcomes] of OUTCOMES) {
  test(`modes ${modes} of address and security code decide all nine pairs of results`, () => {
    const decided = ['Y', 'N', ''].map((avsCode) =>
      ['M', 'N', ''].map((cvvCode) => decide(modes, avsCode, cvvCode)).join(''),
    )
    assert.equal(decided.join(' '), outcomes)
  })
}

test('a set of its own replaces the default, in either case of its letters', () => {
  const request = {
    avsMode: 'T',
    cvvMode: 'T',
    avsSet: 'nz',
    cvvSet: 'MP',
    avsCode: 'N',
    cvvCode: 'P',
  } as const

  assert.equal(decideVerification(request), 'passed')
  assert.equal(decideVerification({ ...request, avsCode: 'Y' }), 'avs_failed')
  assert.equal(decideVerification({ ...request, cvvCode: 'U' }), 'cvv_failed')
})

test('a result of several letters matches no set', () => {
  const request = { avsMode: 'T', cvvMode: 'I', avsSet: 'YZ', cvvSet: 'M', cvvCode: 'M' } as const
  assert.equal(decideVerification({ ...request, avsCode: 'YZ' }), 'avs_failed')
})

function decide(modes: string, avsCode: string, cvvCode: string): string {
  const outcome = decideVerification({
    avsMode: modeAt(modes, 0),
    cvvMode: modeAt(modes, 1),
    avsSet: DEFAULT_AVS_SET,
    cvvSet: DEFAULT_CVV_SET,
    avsCode,
    cvvCode,
  })
  return outcome.charAt(0)
}

function modeAt(modes: string, index: number): CheckMode {
  const mode = readCheckMode(modes.charAt(index))
  assert.ok(mode)
  return mode
}
