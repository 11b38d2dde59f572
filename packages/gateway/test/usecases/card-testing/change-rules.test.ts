import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { DEFAULT_CARD_TESTING_RULES } from '../../../src/domain/card-testing/card-testing.ts'
import {
  createChangeCardTesting,
  type CardTestingTx,
} from '../../../src/usecases/card-testing/change-rules.ts'

const [RULE] = DEFAULT_CARD_TESTING_RULES
const BY = { actor: 'operator:test', address: '' }

/** Changes of the rules of site 1001, watched at revision 3, and every step taken on them. */
function theRules() {
  const steps: string[] = []
  const step = <Read>(name: string, read: Read): Promise<Read> => {
    steps.push(name)
    return Promise.resolve(read)
  }
  const before = {
    mode: 'watch',
    revision: 3,
    rules: RULE === undefined ? [] : [RULE],
    exceptAddresses: [],
  } as const
  const tx: CardTestingTx = {
    lockSite: (siteId) => step('lock', siteId === 1001n ? 1n : null),
    readRules: () => step('read', before),
    writeRules: () => step('write', 4),
    setMode: () => step('set', undefined),
    audit: (entries) => step(JSON.stringify(entries.map(({ details }) => details)), undefined),
  }
  return { change: createChangeCardTesting((work) => work(tx)), before, steps }
}

suite('changes of velocity rules under the lock of the site', () => {
  test('the site is locked before its rules are read, and both rules are on record', async () => {
    const { change, before, steps } = theRules()
    const draft = { rules: [], exceptAddresses: ['203.0.113.9'] }
    assert.deepEqual(await change.put(1001n, draft, 3, BY), { ok: true, revision: 4 })
    assert.deepEqual(steps.slice(0, -1), ['lock', 'read', 'write'])
    assert.deepEqual(JSON.parse(steps.at(-1) ?? ''), [
      {
        revision: 4,
        rulesBefore: before.rules.map(
          ({ name, limit, counts, subject, windowSeconds, code }) =>
            `${name}: ${limit} ${counts} of each ${subject} in ${windowSeconds} s, else ${code}`,
        ),
        rules: [],
        exceptAddresses: ['203.0.113.9'],
      },
    ])
  })

  test('a new mode is on record with the mode before it', async () => {
    const { change, steps } = theRules()
    assert.deepEqual(await change.setMode(1001n, 'enforce', null, BY), { ok: true, from: 'watch' })
    assert.deepEqual(steps, ['lock', 'read', 'set', '[{"from":"watch","to":"enforce"}]'])
  })

  test('a refused change writes nothing', async () => {
    const { change, before, steps } = theRules()
    assert.equal((await change.put(1001n, before, 2, BY)).ok, false)
    assert.equal((await change.setMode(1001n, 'watch', null, BY)).ok, false)
    assert.deepEqual(steps, ['lock', 'read', 'lock', 'read'])
  })

  test('a site that does not exist is missing, and nothing of it is read', async () => {
    const { change, before, steps } = theRules()
    const put = await change.put(77n, before, null, BY)
    assert.equal(put.ok ? null : put.kind, 'missing')
    assert.deepEqual(steps, ['lock'])
  })
})
