import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { printCertificate } from '../../torture/certificate.ts'
import { torture } from '../../torture/torture.ts'

test('after a minute of kills under traffic, clients, gateway and bank agree to the cent', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-torture-'))
  const certificate = await torture({
    seed: '414',
    seconds: 60,
    workers: 2,
    clients: 32,
    bankTimeoutMs: 1_000,
    folder,
    tell: (line) => t.diagnostic(line),
  })
  const { approvedOrders, bankRecords, harms, kills, reversals, unknownOutcomes } = certificate

  assert.deepEqual(certificate.differences, [], `${printCertificate(certificate)}\nSee ${folder}.`)
  // The seed fixes the plan, not the timing: this much happens on a slow and busy machine too.
  assert.ok(kills >= 25, `only ${kills} kills`)
  assert.ok(harms['kill worker'] >= 10, `only ${harms['kill worker']} workers killed`)
  assert.ok(harms['kill bank'] >= 5, `only ${harms['kill bank']} banks killed`)
  assert.ok(harms['kill PostgreSQL'] >= 1, 'PostgreSQL was never killed')
  assert.ok(harms['kill PostgreSQL backend'] >= 1, 'no backend was killed')
  assert.ok(approvedOrders >= 300, `only ${approvedOrders} orders with money`)
  assert.ok(unknownOutcomes >= 30, `only ${unknownOutcomes} unknown outcomes`)
  assert.ok(reversals >= 50, `only ${reversals} reversals`)
  assert.ok((bankRecords['tombstone'] ?? 0) >= 5, 'too few reversals overtook their originals')
  rmSync(folder, { recursive: true, force: true })
})
