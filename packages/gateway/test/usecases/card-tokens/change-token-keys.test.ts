import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { KeyGeneration } from '../../../src/domain/card-tokens/token-keys.ts'
import {
  createTokenKeys,
  type TokenKeyTx,
} from '../../../src/usecases/card-tokens/change-token-keys.ts'

/** The token keys of site 1001, and every step that was taken on them. */
function theKeys(generations: readonly KeyGeneration[], origins: readonly string[] = []) {
  const steps: string[] = []
  const step = <Read>(name: string, read: Read): Promise<Read> => {
    steps.push(name)
    return Promise.resolve(read)
  }
  const tx: TokenKeyTx = {
    lockSite: (siteId) => step('lock', siteId === 1001n ? 1n : null),
    readKeys: () => step('read', generations),
    addKey: () => step('add', undefined),
    removePreviousKey: () => step('remove', undefined),
    readOrigins: () => step('read', origins),
    setOrigins: () => step('set', undefined),
    audit: (entries) => step(JSON.stringify(entries.map(({ details }) => details)), undefined),
  }
  const keys = createTokenKeys({
    transact: (work) => work(tx),
    read: () => Promise.resolve(null),
  })
  return { keys, steps }
}

const SEALED = { ciphertext: Buffer.from('sealed'), dataKeyId: 1 }
const BY = { actor: 'operator:test', address: '' }

suite('changes of token keys', () => {
  test('the site is locked before its keys are read, and the entry is written last', async () => {
    const { keys, steps } = theKeys(['current'])
    assert.deepEqual(await keys.add(1001n, SEALED, BY), { ok: true, previousWorks: true })
    assert.deepEqual(steps, ['lock', 'read', 'add', '[{"previousWorks":true}]'])
  })

  test('a refused change writes nothing', async () => {
    const full = theKeys(['current', 'previous'])
    assert.equal((await full.keys.add(1001n, SEALED, BY)).ok, false)
    const single = theKeys(['current'], ['https://shop.example'])
    assert.equal((await single.keys.retire(1001n, BY)).ok, false)
    assert.equal((await single.keys.setOrigins(1001n, [], [], BY)).ok, false)
    assert.deepEqual([...full.steps, ...single.steps], Array(3).fill(['lock', 'read']).flat())
  })

  test('origins that are replaced are on record with those before them', async () => {
    const { keys, steps } = theKeys([], ['https://shop.example'])
    assert.deepEqual(await keys.setOrigins(1001n, ['https://a.example'], null, BY), { ok: true })
    assert.equal(steps.at(-1), '[{"from":["https://shop.example"],"to":["https://a.example"]}]')
  })

  test('a site that does not exist is missing, and nothing of it is read', async () => {
    const { keys, steps } = theKeys(['current', 'previous'])
    const retired = await keys.retire(77n, BY)
    assert.equal(retired.ok ? null : retired.kind, 'missing')
    assert.deepEqual(steps, ['lock'])
  })
})
