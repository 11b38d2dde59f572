import type pg from 'pg'
import type { Database } from '../adapters/postgres/connection/database.ts'
import type { EvidenceSeal } from '../adapters/vault/evidence-seal.ts'
import { createDepositOperator, type DepositOperator } from './operator-deposits.ts'
import { createDisputeOperator, type DisputeOperator } from './operator-disputes.ts'
import { createSettlementOperator, type SettlementOperator } from './operator-settlement.ts'

export * from './operator-deposits.ts'
export * from './operator-disputes.ts'
export * from './operator-settlement.ts'

/** An operator's operations on what acquirers and banks state. */
export interface MoneyOperator {
  /** Settlement files of acquirers, their payouts and differences. */
  readonly settlement: SettlementOperator
  /** Bank accounts, their statements and the deposits of payouts. */
  readonly deposits: DepositOperator
  /** Cases of cardholders and issuers, with the merchants' answers. */
  readonly disputes: DisputeOperator
}

/** @param openSeal opens the vault's keys, for evidence */
export function createMoneyOperator(
  database: Database,
  pool: pg.Pool,
  actor: string,
  openSeal: () => Promise<EvidenceSeal>,
): MoneyOperator {
  return {
    settlement: createSettlementOperator(database, pool, actor),
    deposits: createDepositOperator(database, pool, actor),
    disputes: createDisputeOperator(pool, actor, openSeal),
  }
}
