import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PaymentDetails } from '../../packages/client/src/requests.ts'
import { createTransact } from '../../packages/gateway/src/adapters/postgres/audit/admin-transaction.ts'
import { createDisputeWatchStore } from '../../packages/gateway/src/adapters/postgres/disputes/watch-store.ts'
import { depositTx } from '../../packages/gateway/src/adapters/postgres/settlement/deposit-rows.ts'
import { createDepositWatchStore } from '../../packages/gateway/src/adapters/postgres/settlement/deposit-watch-store.ts'
import { systemClock } from '../../packages/gateway/src/base/clock.ts'
import { Secret } from '../../packages/gateway/src/base/secret.ts'
import { watchDisputes } from '../../packages/gateway/src/usecases/disputes/watch-disputes.ts'
import { watchDeposits } from '../../packages/gateway/src/usecases/settlement/watch-deposits.ts'
import { openOperator } from '../../packages/gateway/src/wiring/operator.ts'
import {
  statementXml,
  type StatementFacts,
} from '../../packages/gateway/test/adapters/postgres/settlement/statement-xml.ts'
import {
  noticeFileText,
  type NoticeRecord,
} from '../../packages/gateway/test/domain/disputes/notice-text.ts'
import { closeAnsweredBatch, untilBatchEnded } from './batches.ts'
import { outcome, payment, untilNoAdviceIsQueued } from './payments.ts'
import { signIn } from './portal.ts'
import type { RunningGateway } from './running-gateway.ts'
import { referenceOf } from './settlement.ts'
import { clock } from './site-clocks.ts'

/** ISO 4217 numeric codes, as the bank's control API has them. */
const NUMERIC = { USD: '840', EUR: '978', JPY: '392', GBP: '826' } as const
export type MonthCurrency = keyof typeof NUMERIC

/** A settlement file of the bank. */
export interface MonthFile {
  readonly name: string
  readonly currency: MonthCurrency
}

/** A payout line of a file. */
export interface MonthPayout {
  readonly trace: string
  /** Decimal text above zero. */
  readonly amount: string
  readonly arrives: string
}

const ACCOUNT = 'TOLLGATE2001'
/** The days of the month are counted from here, by the clock of the site. */
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Opens the month of the site 1001, which begins at `begin`, a time in UTC. */
export async function openMonth(gateway: RunningGateway, begin: Date) {
  const owner = await signIn(gateway)
  const { databaseUrl, pool, vaultKey } = gateway
  const operator = await openOperator({ databaseUrl: new Secret(databaseUrl), vaultKey })
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-month-'))
  const planted = new Set<string>()
  const control = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${gateway.bank.controlUrl ?? ''}/books${path}`, init)
  const post = async (path: string, body: object): Promise<unknown> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await control(path, { method: 'POST', headers, body: JSON.stringify(body) })
    const text = await answer.text()
    assert.ok(answer.ok, text)
    return JSON.parse(text)
  }
  const dayOf = (day: number): string =>
    new Date(begin.getTime() + day * DAY_MS).toISOString().slice(0, 10)
  const download = async (name: string): Promise<string> => {
    const answer = await control(`/settlement/file?name=${name}`)
    const text = await answer.text()
    assert.equal(answer.status, 200, text)
    return text
  }
  await makeSources(operator)

  return {
    operator,
    dayOf,
    /** The kinds of the bank's plants that were used so far. */
    planted: planted as ReadonlySet<string>,
    /** The clock of the site goes to a day of the month; 0 is the first. */
    async goTo(day: number): Promise<void> {
      const to = new Date(begin.getTime() + day * DAY_MS).toISOString()
      assert.equal((await clock(gateway, 'jump', { to })).status, 200)
    },
    /** A sale under a reference, booked by the bank before the next one. */
    async sell(name: string, amount: string, more: PaymentDetails = {}): Promise<string> {
      const request = payment(amount, { ...more, orderReference: name })
      const sold = await gateway.client().sale(request)
      assert.equal(outcome(sold), 'APPROVED 0/100')
      await untilNoAdviceIsQueued(gateway)
      return sold.orderId
    },
    /** An order with several captures. */
    async captureParts(name: string, parts: readonly string[], amount: string): Promise<void> {
      const request = payment(amount, { orderReference: name })
      const { orderId } = await gateway.client().authorize(request)
      for (const part of parts) {
        assert.equal(
          outcome(await gateway.client().capture({ orderId, amount: part })),
          'APPROVED 0/100',
        )
        await untilNoAdviceIsQueued(gateway)
      }
    },
    /** The bank takes the money of an order on a day, and its notice is imported as a file. */
    async chargeBack(orderId: string, day: number): Promise<void> {
      const rrn = await referenceOf(gateway, orderId)
      const { notice } = (await post('/disputes', {
        merchant: ACCOUNT,
        event: 'chargeback',
        rrn,
      })) as { readonly notice: NoticeRecord }
      const names = { sender: 'bank-demo', receiver: '414000', account: ACCOUNT }
      // No node states the days of the sites to this bank, so its notice has another day.
      const text = noticeFileText([{ ...notice, at: `${dayOf(day)}T12:00:00Z` }], names)
      assert.equal((await operator.disputes.importText('notices.jsonl', text)).kind, 'recorded')
    },
    async refund(orderId: string, amount: string): Promise<void> {
      assert.equal(outcome(await gateway.client().refund({ orderId, amount })), 'APPROVED 0/100')
      await untilNoAdviceIsQueued(gateway)
    },
    /** Gives the next file of a currency a difference. */
    async plant(kind: string, currency: MonthCurrency, more: { nth?: number; days?: number } = {}) {
      planted.add(kind)
      await post('/settlement/plants', {
        merchant: ACCOUNT,
        currency: NUMERIC[currency],
        kind,
        ...more,
      })
    },
    /** Damages a finished file. */
    async damage(kind: string, file: MonthFile): Promise<void> {
      planted.add(kind)
      const chain = { merchant: ACCOUNT, currency: NUMERIC[file.currency] }
      await post('/settlement/plants', { ...chain, kind, name: file.name })
    },
    correct: (file: MonthFile) => post('/settlement/correct', { name: file.name }),
    /** Closes the batch, and lets the bank make the files of a day, one for each currency. */
    async settle(day: number): Promise<readonly MonthFile[]> {
      const batch = await closeAnsweredBatch(gateway, owner)
      assert.equal(await untilBatchEnded(gateway, batch), 'agreed')
      const made = (await post('/settlement', { merchant: ACCOUNT, businessDate: dayOf(day) })) as {
        readonly files: readonly { readonly name: string; readonly currency: string }[]
      }
      return made.files.map(({ currency, name }) => ({ name, currency: codeOf(currency) }))
    },
    /** The code of the refusal, or what else became of a file. */
    async import(file: MonthFile): Promise<string> {
      return importText(await download(file.name), file.name)
    },
    importText,
    /** The payouts of a file. */
    async payoutsOf({ name }: MonthFile): Promise<readonly MonthPayout[]> {
      return (await download(name))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Readonly<Record<string, string>>)
        .filter(({ kind }) => kind === 'payout')
        .map(({ arrives = '', gross = '', trace = '' }) => ({
          trace,
          arrives,
          amount: gross.replace(/^-/, ''),
        }))
    },
    /** Imports bank statements; the answer is the code of a refusal, or what became of them. */
    async state(...statements: readonly StatementFacts[]): Promise<string> {
      const paths = statements.map((facts) => {
        const path = join(folder, `${facts.id}.xml`)
        writeFileSync(path, statementXml(facts))
        return path
      })
      const imported = await operator.deposits.importPaths(paths, false, () => undefined)
      if (imported.kind !== 'imported') {
        return imported.kind === 'refused' ? `${imported.code}: ${imported.reasons.join()}` : 'busy'
      }
      const { counts, statements: all } = imported
      const repeated = all.filter(({ isRepeated }) => isRepeated).length
      return `${counts.deposited} deposited, ${counts.returned} returned, ${repeated} repeated`
    },
    /** Looks for what is overdue by the clock of the site. */
    async raiseOverdue(): Promise<void> {
      await operator.settlement.raiseMissing()
      const transact = createTransact(pool, depositTx)
      await watchDeposits({ store: createDepositWatchStore(pool), transact, clock: systemClock })
      await watchDisputes({ store: createDisputeWatchStore(pool), clock: systemClock })
    },
    async close(): Promise<void> {
      await operator.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }

  async function importText(text: string, name: string): Promise<string> {
    const path = join(folder, name)
    writeFileSync(path, text)
    const imported = await operator.settlement.importPath(path, () => undefined)
    return imported.kind === 'refused' ? imported.refusal.code : imported.kind
  }
}

/** Long before every month. */
export const SINCE = '2020-01-01'

async function makeSources(operator: Awaited<ReturnType<typeof openOperator>>): Promise<void> {
  const names = { sender: 'bank-demo', receiver: '414000', account: ACCOUNT }
  const terms = { accountId: 2001n, since: SINCE, fxBandBasisPoints: 0 }
  for (const currency of Object.keys(NUMERIC)) {
    const made = await operator.settlement.putSource({ ...names, ...terms, currency })
    assert.ok(made.ok)
  }
  const currency = 'USD'
  const account = { number: 'DE89370400440532013000', reversals: 'as_given', since: SINCE } as const
  assert.ok((await operator.deposits.putAccount({ ...account, merchantId: 1n, currency })).ok)
  const payer = { accountId: 2001n, payerName: 'BANK-DEMO ACQUIRING', referencePattern: '' }
  assert.ok((await operator.deposits.putPayer({ ...payer, currency })).ok)
}

function codeOf(numeric: string): MonthCurrency {
  const found = Object.entries(NUMERIC).find(([, each]) => each === numeric)
  assert.ok(found !== undefined, `no chain of this month has the currency ${numeric}`)
  return found[0] as MonthCurrency
}

/**
 * All differences of the gateway: code, the reference of the order or else the line or the payout,
 * and the end.
 */
export async function foundDifferences({ pool }: RunningGateway): Promise<string[]> {
  const { rows } = await pool.query<{ text: string }>(
    `select d.code || ' ' || coalesce(
              nullif(o.reference, '') || case when t.kind = 'refund' then ' refund'
                when d.dispute_id is not null then ' disputed' else '' end,
              l.kind || coalesce(' ' || l.fee_code, ''), p.trace,
              'entry of ' || e.amount_minor) ||
            case when d.proposal = '{}' then '' else ' with a proposal' end || ': ' ||
            coalesce(d.ended_as, d.state) as text
       from settlement_differences d
       left join orders o on o.id = d.order_id
       left join transactions t on t.id = d.transaction_id
       left join settlement_lines l on l.file_id = d.file_id and l.n = d.n
       left join settlement_payouts p on p.id = d.payout_id
       left join bank_entries e on e.id = d.entry_id`,
  )
  return rows.map(({ text }) => text).toSorted()
}
