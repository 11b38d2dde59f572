import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { MerchantState } from '../../../src/domain/merchants/merchant-change.ts'
import type { AuditEntry } from '../../../src/usecases/audit/audit-log.ts'
import {
  createMerchantAdmin,
  type MerchantAdminTx,
} from '../../../src/usecases/merchants/administer-merchants.ts'

const BY = { actor: 'operator:anna@node', address: '' }

/** Merchant 7 as it is stored, every step that was taken on it, and the audit entries. */
function theMerchant(before: MerchantState | null) {
  const steps: string[] = []
  const entries: AuditEntry[] = []
  const step = <Read>(name: string, read: Read): Promise<Read> => {
    steps.push(name)
    return Promise.resolve(read)
  }
  const tx: MerchantAdminTx = {
    lockCreation: () => step('lock creation', undefined),
    nextMerchantId: () => step('next', 8n),
    nextSiteId: () => step('next', 1008n),
    hasMerchant: (id) => step('has', id === 7n),
    hasSite: () => step('has site', false),
    knowsTimeZone: () => step('zone', true),
    insertMerchant: ({ id }) => step(`insert ${id}`, undefined),
    insertSite: ({ id }) => step(`insert ${id}`, undefined),
    lockMerchant: () => step('lock', before),
    setName: (_, name) => step(`name ${name}`, undefined),
    setDisabled: (_, disabled) => step(disabled?.reason ?? 'enabled', undefined),
    endSessions: () => step('end sessions', 2),
    audit(written) {
      entries.push(...written)
      return step('audit', undefined)
    },
  }
  return {
    admin: createMerchantAdmin(
      (work) => work(tx),
      () => true,
    ),
    steps,
    entries,
  }
}

const disabled = { at: new Date('2026-11-01T10:00:00Z'), by: 'operator:bob@node', reason: 'fraud' }

suite('changes of merchants by an operator', () => {
  test('a merchant is disabled under its lock, with its sessions, and the entry names the reason', async () => {
    const { admin, steps, entries } = theMerchant({ name: 'Shop', disabled: null })

    assert.deepEqual(await admin.disable(7n, 'stolen cards', BY), { ok: true, endedSessions: 2 })

    assert.deepEqual(steps, ['lock', 'stolen cards', 'end sessions', 'audit'])
    const about = { ...BY, object: 'merchant 7', merchantId: 7n, result: 'done' } as const
    assert.deepEqual(entries, [
      {
        ...about,
        operation: 'merchant.disabled',
        details: { reason: 'stolen cards', endedSessions: 2 },
      },
    ])
  })

  test('a merchant is enabled under its lock, and the entry keeps by whom it was disabled', async () => {
    const { admin, steps, entries } = theMerchant({ name: 'Shop', disabled })

    assert.deepEqual(await admin.enable(7n, BY), { ok: true, disabledAt: disabled.at })

    assert.deepEqual(steps, ['lock', 'enabled', 'audit'])
    assert.deepEqual(entries[0]?.details, {
      disabledAt: '2026-11-01T10:00:00.000Z',
      disabledBy: 'operator:bob@node',
      reason: 'fraud',
    })
  })

  test('a refused change writes nothing and leaves no entry', async () => {
    const again = theMerchant({ name: 'Shop', disabled })
    assert.equal((await again.admin.disable(7n, 'stolen cards', BY)).ok, false)
    assert.deepEqual(again.steps, ['lock'])

    const missing = theMerchant(null)
    assert.equal((await missing.admin.enable(7n, BY)).ok, false)
    assert.equal((await missing.admin.rename(7n, 'Store', BY)).ok, false)
    assert.deepEqual(missing.steps, ['lock', 'lock'])

    const taken = theMerchant(null)
    const merchant = { name: 'Shop', timeZone: 'UTC' }
    assert.equal((await taken.admin.create(7n, merchant, BY)).ok, false)
    assert.deepEqual(taken.steps, ['lock creation', 'has', 'zone'])
  })

  test('merchants and sites get the next id where none is named, and belong to a known merchant', async () => {
    const { admin, steps, entries } = theMerchant(null)
    const site = { name: 'shop', defaultCurrency: 'EUR', tolerance: 'strict' } as const

    assert.deepEqual(await admin.create(null, { name: 'Store', timeZone: 'UTC' }, BY), {
      ok: true,
      id: 8n,
    })
    assert.deepEqual(await admin.createSite(null, { ...site, merchantId: 7n }, BY), {
      ok: true,
      id: 1008n,
    })
    const lost = await admin.createSite(null, { ...site, merchantId: 9n }, BY)

    assert.equal(lost.ok, false)
    assert.deepEqual(
      steps.filter((step) => step.startsWith('insert')),
      ['insert 8', 'insert 1008'],
    )
    assert.deepEqual(
      entries.map(({ operation, object }) => `${operation} ${object}`),
      ['merchant.created merchant 8', 'site.created site 1008'],
    )
  })
})
