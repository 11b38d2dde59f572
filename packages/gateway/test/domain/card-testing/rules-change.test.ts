import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { DEFAULT_CARD_TESTING_RULES } from '../../../src/domain/card-testing/card-testing.ts'
import {
  decideRules,
  decideRulesMode,
  type SiteRules,
} from '../../../src/domain/card-testing/rules-change.ts'

const WATCHED: SiteRules = {
  mode: 'watch',
  revision: 3,
  rules: DEFAULT_CARD_TESTING_RULES,
  exceptAddresses: [],
}
const EMPTY: SiteRules = { mode: 'off', revision: 0, rules: [], exceptAddresses: [] }

suite('changes of velocity rules', () => {
  test('rules are replaced where the revision is the one that was shown, or none was shown', () => {
    assert.equal(decideRules(1001n, WATCHED, 3), null)
    assert.equal(decideRules(1001n, WATCHED, null), null)
    assert.equal(decideRules(1001n, EMPTY, 0), null)
  })

  test('rules are not replaced where another revision was shown', () => {
    assert.equal(decideRules(1001n, WATCHED, 2)?.code, 'changed_meanwhile')
    assert.equal(decideRules(1001n, WATCHED, 0)?.code, 'changed_meanwhile')
  })

  test('the mode is set where the mode and revision are as shown, or none was shown', () => {
    const seen = { mode: 'watch', revision: 3 } as const
    assert.equal(decideRulesMode(1001n, WATCHED, 'enforce', seen), null)
    assert.equal(decideRulesMode(1001n, WATCHED, 'off', null), null)
  })

  test('the mode is not set where another mode or another revision was shown', () => {
    for (const seen of [
      { mode: 'off', revision: 3 },
      { mode: 'watch', revision: 2 },
    ] as const) {
      const refusal = decideRulesMode(1001n, WATCHED, 'enforce', seen)
      assert.equal(refusal?.code, 'changed_meanwhile')
    }
  })

  test('the mode that is in force is not set again', () => {
    const refusal = decideRulesMode(1001n, WATCHED, 'watch', null)
    assert.equal(refusal?.kind, 'conflict')
    assert.deepEqual(refusal.faults, ['Site 1001 has it on watch already.'])
  })

  test('a site without rules stays off, and the refusal names the commands that add rules', () => {
    const refusal = decideRulesMode(1001n, EMPTY, 'enforce', null)
    assert.equal(refusal?.kind, 'conflict')
    assert.match(String(refusal.faults), /no rules yet.*card-testing put 1001 rules\.json/)
  })
})
