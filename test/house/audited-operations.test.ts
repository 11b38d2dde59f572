import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { AUDIT_OPERATIONS } from '../../packages/gateway/src/usecases/audit/audit-log.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

test('each operation of the audit log is in a test by its name', () => {
  const files = globSync(['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'], { cwd: ROOT })
  const text = files.map((file) => readFileSync(`${ROOT}${file}`, 'utf8')).join('\n')
  const named = new Set([...text.matchAll(/\b[a-z_]+\.[a-z_]+\b/g)].map(([name]) => name))
  assert.deepEqual(
    Object.keys(AUDIT_OPERATIONS).filter((operation) => !named.has(operation)),
    [],
  )
})
