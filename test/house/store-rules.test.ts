import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { read, sourceFiles } from './source-text.ts'
import { storeBreaches } from './store-rules.ts'

const STORE = 'packages/gateway/src/portal/home/store/x.ts'
const ADAPTER = 'packages/gateway/src/adapters/postgres/payments/x.ts'

suite('stores decide nothing', () => {
  test('no store asks what a role may do, and none makes a refusal', () => {
    const files = sourceFiles()
    assert.ok(files.length > 100, 'the walk found no sources')
    assert.deepEqual(
      files.flatMap((path) => storeBreaches(path, read(path))),
      [],
    )
  })

  const breaches: readonly (readonly [name: string, text: string])[] = [
    ['a role that is judged', "if (mayDo(row.role, 'portal_users.change')) return row"],
    ['the maker of refusals', "import { refused, type Result } from '../../../base/refusal.ts'"],
    [
      'a refusal that was made elsewhere',
      "import {\n  noSuchSite,\n} from '../../../domain/merchants/refused-site.ts'",
    ],
    ['a refusal made by hand', "return { ok: false, kind: 'conflict', faults: [] }"],
  ]
  for (const [name, text] of breaches) {
    test(`the guard bites: ${name}`, () => {
      assert.equal(storeBreaches(STORE, text).length, 1)
      assert.equal(storeBreaches(ADAPTER, text).length, 1)
    })
  }

  test('a use case may decide, and a store may pass on what was decided', () => {
    const decides = "import { refused } from '../../../base/refusal.ts'"
    assert.deepEqual(storeBreaches('packages/gateway/src/portal/home/usecases/x.ts', decides), [])
    const passes = "import type { Result } from '../../../base/refusal.ts'"
    assert.deepEqual(storeBreaches(STORE, `// mayDo(role)\n${passes}`), [])
    assert.deepEqual(storeBreaches(STORE, passes.replace('type { R', '{ type R')), [])
  })
})
