import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { announceActivity } from '../../packages/gateway/src/adapters/postgres/connection/activity-channel.ts'
import {
  openDatabase,
  type Database,
} from '../../packages/gateway/src/adapters/postgres/connection/database.ts'
import { createBatchOperator } from '../../packages/gateway/src/wiring/operator-batches.ts'
import { createDepositOperator } from '../../packages/gateway/src/wiring/operator-deposits.ts'
import { createSettlementOperator } from '../../packages/gateway/src/wiring/operator-settlement.ts'
import { askBank } from './bank-control.ts'
import type { Chance } from './chance.ts'
import type { Deposit } from './settlement-model.ts'
import { CURRENCY, fileNames, IBAN, openStatementBank, PAYER } from './settlement-statements.ts'
import type { Stage } from './stage.ts'
import { untilDone } from './until-done.ts'

/** Batches that close, files that are made and booked, and deposits, while everything is killed. */
export interface SettlementWork {
  /** So much happened so far. */
  readonly counts: { readonly batches: number; readonly files: number; readonly deposits: number }
  /** The entries of all imported statements. */
  readonly deposits: readonly Deposit[]
  /** Begins nothing new, and waits for what is under way. */
  stop(): Promise<void>
  /**
   * Settles everything that is left, on a stage where nothing is killed any more.
   * @returns a sentence for each step that did not come to its end
   */
  finish(): Promise<readonly string[]>
}

/** The accounts of the demo merchant. */
export const ACCOUNTS = [
  { id: 2001, account: 'TOLLGATE2001' },
  { id: 2003, account: 'TOLLGATE2003' },
] as const
/**
 * The account with unreferenced credits. They need no batch, so the bank would have them in a file
 * while their outcome is unknown here. A real file has days that are over.
 */
const WITH_CREDITS = 'TOLLGATE2003'
const ACQUIRER = '414000'
export const MERCHANT = 1
/** Long before every run. */
const SINCE = '2020-01-01'
const ACTOR = 'operator:torture'

/**
 * Registers sources and a bank account, and settles from then on.
 * @param folder of the run; bank statements are written to `statements` in it
 */
export async function startSettlement(
  stage: Stage,
  chance: Chance,
  folder: string,
): Promise<SettlementWork> {
  const { pool } = stage
  // A kill of the server breaks its connections; they are replaced.
  const database = openDatabase(stage.database.url, () => undefined)
  await register(database, pool)
  const bank = openStatementBank(stage, join(folder, 'statements'))
  const counts = { batches: 0, files: 0, deposits: 0 }
  let stopped = false

  const settle = async (): Promise<void> => {
    await letBatchesClose(pool)
    await askForFiles(
      stage,
      ACCOUNTS.filter(({ account }) => account !== WITH_CREDITS),
    )
    counts.files = fileNames(stage.bankFolder).length
    if (chance.happens(0.4)) {
      await bank.importNext(chance.happens(0.5) ? chance.between(200, 1_500) : null)
    }
    counts.deposits = bank.deposits.length
    counts.batches = await countClosed(pool)
  }
  const running = (async () => {
    while (!stopped) {
      // A part that is down does its step in a later round.
      await settle().catch(() => undefined)
      await pause(chance.between(300, 1_500))
    }
  })()
  const stop = async (): Promise<void> => {
    stopped = true
    await running
  }
  return {
    counts,
    deposits: bank.deposits,
    async stop() {
      await stop()
      await database.close()
    },
    async finish() {
      await stop()
      const operator = createSettlementOperator(database, pool, ACTOR)
      const batches = createBatchOperator(pool)
      const left = [
        await untilDone('every batch is closed and agreed', async () => {
          for (const { id } of ACCOUNTS) await batches.close(BigInt(id))
          await wakeJobs(pool)
          return isAllAgreed(pool)
        }),
        await untilDone('every capture and refund is in a file', async () => {
          return (await askForFiles(stage, ACCOUNTS)) === 0
        }),
        await untilDone('every file is booked', async () => {
          for (const name of fileNames(stage.bankFolder)) {
            const path = join(stage.bankFolder, 'settlement', name)
            const { kind } = await operator.importPath(path, () => undefined)
            if (kind !== 'booked' && kind !== 'repeated') return false
          }
          return true
        }),
        await untilDone('every payout is in a statement', () => bank.importNext(null)),
      ]
      counts.files = fileNames(stage.bankFolder).length
      counts.deposits = bank.deposits.length
      counts.batches = await countClosed(pool)
      return left.flatMap((sentence) => (sentence === null ? [] : `settlement: ${sentence}`))
    },
  }
}

/** Without requests the jobs look every 20 seconds only. */
export function wakeJobs(pool: Stage['pool']): Promise<void> {
  return announceActivity(pool)
}

async function register(database: Database, pool: Stage['pool']): Promise<void> {
  const settlement = createSettlementOperator(database, pool, ACTOR)
  const deposits = createDepositOperator(database, pool, ACTOR)
  const source = { currency: CURRENCY, sender: 'bank-demo', receiver: ACQUIRER, since: SINCE }
  const payer = { currency: CURRENCY, payerName: PAYER, referencePattern: '' }
  for (const { account, id } of ACCOUNTS) {
    const accountId = BigInt(id)
    demand(await settlement.putSource({ ...source, accountId, account, fxBandBasisPoints: 0 }))
    demand(await deposits.putPayer({ ...payer, accountId }))
  }
  const reversals = 'as_given'
  const merchantId = BigInt(MERCHANT)
  const account = { merchantId, number: IBAN, currency: CURRENCY, reversals, since: SINCE } as const
  demand(await deposits.putAccount(account))
  // The job closes batches that were opened before the last midnight.
  await pool.query('update merchant_accounts set batch_cutoff = 0 where merchant_id = $1', [
    MERCHANT,
  ])
}

function demand(outcome: { readonly ok: boolean; readonly faults?: readonly string[] }): void {
  if (!outcome.ok) throw new Error(`Settlement was not set up: ${outcome.faults?.join(' ')}`)
}

/** Makes the open batches two days older, so that the job of any worker closes them. */
async function letBatchesClose(pool: Stage['pool']): Promise<void> {
  await pool.query(
    `update batches set opened_at = opened_at - interval '2 days'
      where merchant_id = $1 and closed_at is null and opened_at > now() - interval '1 day'`,
    [MERCHANT],
  )
}

/** The bank makes files of what waits for one. @returns how many it made */
async function askForFiles(
  stage: Pick<Stage, 'bankFolder' | 'dataDir'>,
  accounts: readonly { readonly account: string }[],
): Promise<number> {
  let made = 0
  for (const { account } of accounts) {
    const { body, status } = await askBank(stage, 'settlement', { merchant: account })
    if (status !== 201) throw new Error(`The bank answered ${JSON.stringify(body)}`)
    made += (body as { readonly files: readonly unknown[] }).files.length
  }
  return made
}

async function countClosed(pool: Stage['pool']): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from batches
      where merchant_id = $1 and closed_at is not null
        and agreement not in ('closing', 'agreeing', 'comparing')`,
    [MERCHANT],
  )
  return rows[0]?.count ?? 0
}

/** Whether no batch of the merchant has a next step, or holds anything while it is open. */
async function isAllAgreed(pool: Stage['pool']): Promise<boolean> {
  const { rows } = await pool.query<{ open: boolean }>(
    `select exists (
       select from batches b
        where b.merchant_id = $1
          and (b.agreement in ('closing', 'agreeing', 'comparing')
               or (b.closed_at is null and exists (
                     select from transactions t
                      where t.batch_id = b.id and t.kind in ('sale', 'capture', 'refund')
                        and t.state = 'approved')))) as open`,
    [MERCHANT],
  )
  return rows[0]?.open === false
}
