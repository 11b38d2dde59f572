import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { LinkOutline } from '../../../src/domain/banks/link-outline.ts'
import type { AuditEntry } from '../../../src/usecases/audit/audit-log.ts'
import { createPutLink, type LinkTx } from '../../../src/usecases/banks/put-link.ts'
import type { Mode } from '../../../src/usecases/merchants/merchant-directory.ts'

const BY = { actor: 'operator:test', address: '' }
const DRAFT: LinkOutline = {
  name: 'acme',
  mode: 'live',
  addresses: ['127.0.0.1:8583'],
  profile: 'house',
  institutionId: '424242',
  echoIdleSeconds: 60,
  window: 10,
  batchAgreement: false,
  messageTimeoutMs: 20_000,
  tls: null,
}

/** The link acme as it is stored, every step that was taken on it, and the audit entries. */
function theLink(before: string | null, inUse: readonly Mode[]) {
  const steps: string[] = []
  const entries: AuditEntry[] = []
  const step = <Read>(name: string, read: Read): Promise<Read> => {
    steps.push(name)
    return Promise.resolve(read)
  }
  let state = before
  const tx: LinkTx = {
    lockLink: () => step('lock', state),
    readModesInUse: () => step('read', inUse),
    writeLink() {
      state = 'after'
      return step('write', before === null)
    },
    audit(written) {
      entries.push(...written)
      return step('audit', undefined)
    },
  }
  return { put: createPutLink((work) => work(tx)), steps, entries }
}

const ABOUT = { ...BY, operation: 'link.put', object: 'link acme' } as const

suite('creations and changes of processor links under their lock', () => {
  test('a link is locked before its accounts are read, and both states are on record', async () => {
    const { put, steps, entries } = theLink('before', ['live'])
    assert.deepEqual(await put({ link: DRAFT, key: null }, BY), { ok: true, created: false })
    assert.deepEqual(steps, ['lock', 'read', 'write', 'lock', 'audit'])
    const details = { before: 'before', after: 'after' }
    assert.deepEqual(entries, [{ ...ABOUT, result: 'done', details }])
  })

  test('a new link is on record with no state before it', async () => {
    const { put, entries } = theLink(null, [])
    assert.deepEqual(await put({ link: DRAFT, key: null }, BY), { ok: true, created: true })
    assert.deepEqual(entries[0]?.details, { before: null, after: 'after' })
  })

  test('a refused change writes only its entry', async () => {
    const { put, steps, entries } = theLink('before', ['test'])
    const refusal = await put({ link: DRAFT, key: null }, BY)
    assert.ok(!refusal.ok)
    assert.deepEqual(steps, ['lock', 'read', 'audit'])
    assert.deepEqual(entries, [
      { ...ABOUT, result: 'refused', details: { faults: refusal.faults } },
    ])
  })
})
