import assert from 'node:assert/strict'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import { openOperator } from '../../packages/gateway/src/wiring/operator.ts'
import { noticeFileText } from '../../packages/gateway/test/domain/disputes/notice-text.ts'
import type { RunningGateway } from './running-gateway.ts'
import { referenceOf } from './settlement.ts'

/**
 * Settings of a gateway that leaves disputes to another node: a test plays the acquirer, and the
 * bundled bank says nothing.
 */
export const ANOTHER_NODE_TALKS = {
  BANK: 'shared',
  BANK_SECRET: 'secret-of-this-test-alone-0123456789',
}

/** An acquirer that reports disputes of the demo merchant's account 2001, as files. */
export interface NoticeSender {
  /** Sends notices about an order; their numbers and ids are made good. */
  send(orderId: string, ...notices: readonly Readonly<Record<string, unknown>>[]): Promise<void>
}

/** Makes the settlement source that names the acquirer. */
export async function openNoticeSender(gateway: RunningGateway): Promise<NoticeSender> {
  await gateway.pool.query(
    `insert into settlement_sources (merchant_id, merchant_account_id, currency, sender, receiver,
       account, since, fx_band_basis_points, made_by)
     values (1, 2001, 'USD', 'bank-demo', 'gw-01', 'MA-1042', '2026-01-01', 0, 'test')
     on conflict do nothing`,
  )
  let last = 0
  return {
    async send(orderId, ...notices) {
      const rrn = await referenceOf(gateway, orderId)
      const at = `${new Date().toISOString().slice(0, 19)}Z`
      const records = notices.map((notice) => ({ n: (last += 1), rrn, at, ...notice }))
      const { databaseUrl, vaultKey } = gateway
      const operator = await openOperator({ databaseUrl: new Secret(databaseUrl), vaultKey })
      try {
        const text = noticeFileText(records, { mode: 'test' })
        const outcome = await operator.disputes.importText('notices.jsonl', text)
        assert.equal(outcome.kind, 'recorded', outcome.kind === 'refused' ? outcome.reason : '')
      } finally {
        await operator.close()
      }
    },
  }
}

/** The day so many days from now, ISO 8601. */
export function dayIn(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
}
