import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { auditLines, auditVerdict } from '../../tools/supply-chain/audit-verdict.ts'

function sample(name: string): string {
  return readFileSync(new URL(`audit-samples/${name}.json`, import.meta.url), 'utf8')
}

test('a report without findings is clean, also behind a line that is no JSON', () => {
  assert.deepEqual(auditVerdict(sample('clean')), { kind: 'clean' })
  assert.deepEqual(auditVerdict(`npm warn something\n${sample('clean')}`), { kind: 'clean' })
})

test('a report with grave findings names each with its reason', () => {
  const verdict = auditVerdict(sample('vulnerable'))
  assert.equal(verdict.kind, 'vulnerable')
  assert.deepEqual(verdict.kind === 'vulnerable' && verdict.findings, [
    'outer (high): through inner',
    'inner (high): inner reads more than it was given https://github.com/advisories/GHSA-0000-0000-0000',
  ])
})

test('counts of grave findings are enough, however the findings are laid out', () => {
  const report = JSON.parse(sample('vulnerable')) as Record<string, unknown>
  const verdict = auditVerdict(JSON.stringify({ ...report, vulnerabilities: {} }))
  assert.deepEqual(verdict, { kind: 'vulnerable', findings: ['2 findings'] })
})

test('findings below moderate let the run go on', () => {
  assert.deepEqual(auditVerdict(sample('low')), { kind: 'clean' })
})

test('a registry that refuses the question gives no all-clear and no failure', () => {
  const verdict = auditVerdict(sample('endpoint-error'))
  assert.equal(verdict.kind, 'unavailable')
  assert.match(verdict.kind === 'unavailable' ? verdict.why : '', /405 Method Not Allowed/)
})

test('a run without an answer states that nothing was audited, and why', () => {
  const refused = auditVerdict(sample('endpoint-error'))
  const text = auditLines(refused, null).join('\n')
  assert.match(text, /NO DEPENDENCY WAS AUDITED/)
  assert.match(text, /405 Method Not Allowed/)
  assert.doesNotMatch(text, /no known vulnerability/)
  assert.match(auditLines(refused, 'spawn npm ENOENT').join('\n'), /spawn npm ENOENT/)
})

test('only an answer without findings states that no vulnerability is known', () => {
  const said = (name: string) => auditLines(auditVerdict(sample(name)), null).join('\n')
  assert.match(said('clean'), /no known vulnerability/)
  assert.doesNotMatch(said('clean'), /NO DEPENDENCY/)
  assert.match(said('vulnerable'), /inner reads more than it was given/)
  assert.doesNotMatch(said('vulnerable'), /no known vulnerability/)
})

test('the verdict is `unavailable` without a network, without output and without JSON', () => {
  const offline = JSON.stringify({
    error: { code: 'ENOTFOUND', summary: 'no such host', detail: '' },
  })
  assert.deepEqual(auditVerdict(offline), { kind: 'unavailable', why: 'ENOTFOUND; no such host' })
  for (const output of ['', 'npm ERR!', '[]', 'null', '{}', '{"metadata":{"vulnerabilities":1}}']) {
    assert.equal(auditVerdict(output).kind, 'unavailable', output)
  }
})
