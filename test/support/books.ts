import {
  reconcileBooks,
  verifyBooks,
  type InvariantResult,
  type Reconciliation,
} from '@tollgate/gateway/books'
import assert from 'node:assert/strict'
import type { RunningGateway } from './running-gateway.ts'

const BANK_TIMEOUT_MS = 25_000

/** The results of `tollgate verify` for the gateway's database. */
export function verify(gateway: RunningGateway): Promise<InvariantResult[]> {
  return verifyBooks(gateway.databaseUrl, {
    bankTimeoutMs: BANK_TIMEOUT_MS,
    dataDir: gateway.nodeSettings['DATA_DIR'] ?? '',
  })
}

/** The names of the invariants that do not hold, warnings included. */
export async function brokenInvariants(gateway: RunningGateway): Promise<string[]> {
  return (await verify(gateway)).filter(({ count }) => count > 0).map(({ name }) => name)
}

/** The result of `tollgate recon`. */
export function recon(gateway: RunningGateway): Promise<Reconciliation> {
  const { controlUrl } = gateway.bank
  assert.ok(controlUrl !== null, 'the bank of this test has no control API')
  return reconcileBooks(gateway.databaseUrl, {
    controlUrl,
    readSecret: () => null,
    merchantId: null,
  })
}

/** Fails unless every invariant holds and all three books agree about every order. */
export async function assertBooksAreClean(gateway: RunningGateway): Promise<void> {
  assert.deepEqual(await brokenInvariants(gateway), [])
  const { differences, orders } = await recon(gateway)
  assert.deepEqual(differences, [])
  assert.ok(orders > 0, 'no order was compared')
}
