import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { brokenLinks } from '../house/documents.ts'
import { read, root } from '../house/source-text.ts'
import {
  promtool,
  readAlerts,
  RULES_FILE,
  RULES_FOLDER,
  whyNoPrometheus,
} from '../support/monitoring.ts'

const TESTS_FILE = 'tollgate.rules.test.yaml'

interface RuleTest {
  readonly name: string
  readonly promql_expr_test: readonly {
    readonly eval_time: string
    readonly exp_samples?: readonly { readonly labels: string }[]
  }[]
}

const tests = (
  parse(readFileSync(join(RULES_FOLDER, TESTS_FILE), 'utf8')) as { readonly tests: RuleTest[] }
).tests
const skip = whyNoPrometheus('promtool') ?? false

suite('the alert rules', () => {
  test('fire for the recorded trouble of each, and are silent just before', { skip }, () => {
    const { code, output } = promtool('test', 'rules', TESTS_FILE)
    assert.equal(code, 0, output)
  })

  test('each have one series at which no alert fires, and which then makes the alert fire', () => {
    const alerts = readAlerts().map(({ alert }) => alert)
    assert.ok(alerts.length > 30, 'the rules were not found')
    assert.deepEqual(
      tests.map(({ name }) => name),
      alerts,
    )
    for (const { name, promql_expr_test: steps } of tests) {
      assert.deepEqual(
        steps.map(({ exp_samples = [] }) => exp_samples.length > 0),
        [false, true],
        name,
      )
      const firing = steps[1]?.exp_samples?.map(({ labels }) => labels) ?? []
      assert.ok(firing.includes(`{alertname="${name}"}`), name)
    }
  })

  test('that are broken make promtool fail, so the test above can', { skip }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-rules-'))
    try {
      const rules = readFileSync(join(RULES_FOLDER, RULES_FILE), 'utf8')
      const own = tests.filter(({ name }) => name === 'TollgateDiskFills')
      writeFileSync(
        join(folder, RULES_FILE),
        rules.replace('_size_bytes < 0.1', '_size_bytes < 0.05'),
      )
      const file = { rule_files: [RULES_FILE], evaluation_interval: '1m', tests: own }
      writeFileSync(join(folder, TESTS_FILE), stringify(file))
      const { code, output } = promtool('test', 'rules', join(folder, TESTS_FILE))
      assert.equal(code, 1, output)
      assert.match(output, /TollgateDiskFills/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('name a page of the documents that exists, and a severity that the documents define', () => {
    const readOrNull = (path: string): string | null =>
      existsSync(join(root, path)) ? read(path) : null
    for (const { alert, annotations, labels } of readAlerts()) {
      assert.deepEqual(
        brokenLinks('README.md', `[page](${annotations.runbook})`, readOrNull),
        [],
        alert,
      )
      assert.match(labels.severity, /^(?:page|ticket)$/, alert)
    }
  })
})
