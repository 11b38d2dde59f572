import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { retrievalReference } from '../../packages/gateway/src/adapters/processor-iso8583/message-identity.ts'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import { openOperator } from '../../packages/gateway/src/wiring/operator.ts'
import type { RunningGateway } from './running-gateway.ts'

/**
 * Imports a settlement file in US dollars for the demo merchant's account 2001, as an operator does.
 * The first file makes the source from its header.
 */
export async function importSettlement(gateway: RunningGateway, text: string): Promise<void> {
  const head = JSON.parse(text.slice(0, text.indexOf('\n'))) as Readonly<Record<string, unknown>>
  const { databaseUrl, vaultKey } = gateway
  const operator = await openOperator({ databaseUrl: new Secret(databaseUrl), vaultKey })
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-settlement-'))
  try {
    const { rows } = await gateway.pool.query('select from settlement_sources')
    if (rows.length === 0) {
      const source = await operator.settlement.putSource({
        accountId: 2001n,
        currency: 'USD',
        sender: String(head['sender']),
        receiver: String(head['receiver']),
        account: String(head['account']),
        since: '2026-01-01',
        fxBandBasisPoints: 0,
      })
      assert.ok(source.ok, source.ok ? '' : source.faults.join(' '))
    }
    const path = join(folder, 'file.jsonl')
    writeFileSync(path, text)
    const outcome = await operator.settlement.importPath(path, () => undefined)
    const reason = outcome.kind === 'refused' ? outcome.refusal.reason : ''
    assert.equal(outcome.kind, 'booked', reason)
  } finally {
    await operator.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** DE 37 of an order, by which a line of a settlement file names it. */
export async function referenceOf(gateway: RunningGateway, orderId: unknown): Promise<string> {
  const { rows } = await gateway.pool.query<{ number: string; at: Date }>(
    'select message_number::text as number, message_at as at from orders where id = $1',
    [orderId],
  )
  const [row] = rows
  assert.ok(row)
  return retrievalReference({ number: BigInt(row.number), at: row.at })
}
