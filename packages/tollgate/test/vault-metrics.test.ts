import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { createVaultMetrics } from '../src/vault-metrics.ts'

function report(sealed: number, refunds: number, limited: number) {
  const requests = [{ operation: 'seal card', outcome: 'done', count: sealed }]
  return {
    kind: 'figures',
    figures: { requests, openings: { refund: refunds }, limited, turnedAway: 0 },
  }
}

test('the figures of a vault process are added up over its reports and over its restarts', async () => {
  const registry = new Registry()
  const metrics = createVaultMetrics(registry)
  let send: (message: unknown) => void = () => assert.fail()
  const run = () => metrics.follow((listener) => (send = listener))
  run()
  metrics.setUp(true)
  send({ kind: 'ready' })
  send(report(2, 1, 0))
  send(report(5, 1, 1))
  metrics.setUp(false)
  run()
  metrics.setUp(true)
  send(report(3, 2, 0))

  const text = await registry.metrics()
  for (const line of [
    'tollgate_vault_requests_total{operation="seal card",outcome="done"} 8',
    'tollgate_vault_openings_total{purpose="refund"} 3',
    'tollgate_vault_openings_limited_total 1',
    'tollgate_vault_process_restarts_total 1',
    'tollgate_vault_process_up 1',
  ])
    assert.ok(text.split('\n').includes(line), line)
})
