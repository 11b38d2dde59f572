import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { StoredAccount } from '../../../src/domain/merchants/account-change.ts'
import type { AuditEntry } from '../../../src/usecases/audit/audit-log.ts'
import type { AccountDraft } from '../../../src/usecases/merchants/operator.ts'
import { createPutAccount, type AccountTx } from '../../../src/usecases/merchants/put-account.ts'

const BY = { actor: 'operator:test', address: '' }
const DRAFT: AccountDraft = {
  id: 501,
  merchantId: 7,
  mode: 'live',
  link: 'acme-live',
  processorName: 'ACME',
  acquirerId: null,
  acquirerMerchantId: 'SHOP0001',
  categoryCode: '5999',
  nameAndLocation: 'Shop',
  currencies: ['EUR'],
  brands: null,
  requiredFields: [],
  unreferencedCredits: false,
  standsFor: null,
  threeDs: null,
  sites: [],
}
const STORED: StoredAccount = {
  merchantId: 7n,
  mode: 'live',
  linkId: 3n,
  acquirerId: '424242',
  acquirerMerchantId: 'SHOP0001',
  currencies: ['EUR'],
}

/** Account 501 as it is stored, every step that was taken on it, and the audit entries. */
function theAccount(before: StoredAccount | null) {
  const steps: string[] = []
  const entries: AuditEntry[] = []
  const step = <Read>(name: string, read: Read): Promise<Read> => {
    steps.push(name)
    return Promise.resolve(read)
  }
  let state = before === null ? null : 'before'
  const tx: AccountTx = {
    lockAccount: () => step('lock', before),
    describeAccount: () => step('describe', state),
    findLink: () => step('link', { id: 3n, mode: 'live', institutionId: '424242' }),
    readOwner: () =>
      step('owner', {
        exists: true,
        sites: [],
        hasTestAccount: false,
        standIn: null,
        defaultCurrencies: [],
      }),
    lockPlans: () => step('plans', { today: '2026-11-29', plans: [] }),
    writeAccount(_, { linkId, acquirerId }) {
      state = 'after'
      return step(`write ${linkId} ${acquirerId}`, ['threeDs'])
    },
    setProcessorName: (id, name) => step(`name ${id} ${name}`, undefined),
    audit(written) {
      entries.push(...written)
      return step('audit', undefined)
    },
  }
  return { put: createPutAccount((work) => work(tx)), steps, entries }
}

const ABOUT = { ...BY, operation: 'account.put', object: 'account 501', merchantId: 7n } as const

suite('creations and changes of merchant accounts under their lock', () => {
  test('an account is locked before anything is read, and both states are on record', async () => {
    const { put, steps, entries } = theAccount(STORED)
    assert.deepEqual(await put(DRAFT, BY), { ok: true, created: false, kept: ['threeDs'] })
    assert.deepEqual(steps, [
      'lock',
      'describe',
      'link',
      'owner',
      'plans',
      'write 3 424242',
      'describe',
      'audit',
    ])
    const details = { before: 'before', after: 'after' }
    assert.deepEqual(entries, [{ ...ABOUT, result: 'done', details }])
  })

  test('a new account is on record with no state before it', async () => {
    const { put, entries } = theAccount(null)
    assert.deepEqual(await put(DRAFT, BY), { ok: true, created: true, kept: ['threeDs'] })
    assert.deepEqual(entries[0]?.details, { before: null, after: 'after' })
  })

  test('a refused change writes only its entry, under the merchant that owns the account', async () => {
    const { put, steps, entries } = theAccount(STORED)
    const refusal = await put({ ...DRAFT, merchantId: 8 }, BY)
    assert.ok(!refusal.ok)
    assert.deepEqual(steps, ['lock', 'describe', 'link', 'owner', 'plans', 'audit'])
    assert.deepEqual(entries, [
      { ...ABOUT, result: 'refused', details: { faults: refusal.faults } },
    ])
  })

  test('a refused creation leaves no entry', async () => {
    const { put, entries } = theAccount(null)
    assert.equal((await put({ ...DRAFT, mode: 'test' }, BY)).ok, false)
    assert.deepEqual(entries, [])
  })
})
