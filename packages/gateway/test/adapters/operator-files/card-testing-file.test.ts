import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCardTestingFile } from '../../../src/adapters/operator-files/card-testing-file.ts'
import { DEFAULT_CARD_TESTING_RULES } from '../../../src/domain/card-testing/card-testing.ts'

const GOOD = { name: 'a', subject: 'address', counts: 'cards', limit: 10, windowSeconds: 600 }

function faultsOf(file: unknown): readonly string[] {
  const read = readCardTestingFile(typeof file === 'string' ? file : JSON.stringify(file))
  return read.ok ? [] : read.faults
}

test('the initial rules are a file without an error, and are read unchanged', () => {
  const read = readCardTestingFile(JSON.stringify({ rules: DEFAULT_CARD_TESTING_RULES }))
  assert.ok(read.ok)
  assert.deepEqual(read.draft, { rules: DEFAULT_CARD_TESTING_RULES, exceptAddresses: [] })
})

test('a rule that names no code answers with 601, and addresses are kept in one form', () => {
  const read = readCardTestingFile(
    JSON.stringify({ rules: [GOOD], exceptAddresses: ['198.51.100.7', '2001:DB8::1'] }),
  )
  assert.ok(read.ok)
  assert.equal(read.draft.rules[0]?.code, 601)
  assert.deepEqual(read.draft.exceptAddresses, ['198.51.100.7', '2001:db8:0:0::/64'])
})

test('every fault of a rules file is reported at once, in plain words', () => {
  const bad = {
    name: 'A!',
    subject: 'country',
    counts: 'refunds',
    limit: 0,
    windowSeconds: 5,
    code: 600,
    colour: 'red',
  }
  assert.deepEqual(faultsOf({ rules: [bad] }).toSorted(), [
    'There is no setting rules.0.colour; take it out.',
    'rules.0.code is 600; it must be 215 or 601.',
    'rules.0.counts is "refunds"; it must be one of "attempts", "cards", "declines".',
    'rules.0.limit is 0; it must be a whole number from 1 to 100000.',
    'rules.0.name is "A!"; it must be lower-case letters, digits and dashes, at most 40, the first no dash.',
    'rules.0.subject is "country"; it must be one of "card", "bin", "address", "amount", "site".',
    'rules.0.windowSeconds is 5; it must be a whole number from 10 to 86400.',
  ])
})

test('rules that contradict each other are refused', () => {
  assert.deepEqual(faultsOf({ rules: [GOOD, { ...GOOD, limit: 20 }] }), [
    'rules.1.name is "a", as another rule\'s is; each needs a name of its own.',
    'rules.1 ("a") counts what rule "a" counts: cards of each address in 600 s. Keep the one with the lower limit.',
  ])
  assert.deepEqual(
    faultsOf({
      rules: [
        { ...GOOD, subject: 'card' },
        { ...GOOD, name: 'b', limit: 501 },
      ],
    }),
    [
      'rules.0 ("a") counts the cards of one card, which is always 1.',
      'rules.1.limit is 501; where cards are counted it must be at most 500.',
    ],
  )
  assert.deepEqual(faultsOf({ rules: [GOOD, { ...GOOD, name: 'b', windowSeconds: 60 }] }), [])
})

test('an exception for an address that no customer can have is reported as an error', () => {
  assert.deepEqual(faultsOf({ rules: [GOOD], exceptAddresses: ['10.0.0.1', 'office'] }), [
    'exceptAddresses names "10.0.0.1", which is no address of the public network.',
    'exceptAddresses names "office", which is no address of the public network.',
  ])
  assert.deepEqual(faultsOf({ rules: [] }), ['rules is []; it must be a list of 1 to 20 rules.'])
})
