import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import type { CardTestingRule } from '../../../domain/card-testing/card-testing.ts'
import type {
  CardTestingDraft,
  CardTestingSetting,
  SiteRules,
} from '../../../domain/card-testing/rules-change.ts'
import type { Transact } from '../../../usecases/audit/audited-transaction.ts'
import type {
  CardTestingReader,
  CardTestingView,
} from '../../../usecases/card-testing/card-testing-operator.ts'
import type { CardTestingTx } from '../../../usecases/card-testing/change-rules.ts'
import { createTransact } from '../audit/admin-transaction.ts'
import { readPastPayments } from './card-testing-past.ts'

interface PolicyRow {
  readonly mode: CardTestingSetting | null
  readonly rules: readonly CardTestingRule[] | null
  readonly except_addresses: string[] | null
  readonly revision: number | null
}

const FIND = `
select p.mode, p.rules, p.except_addresses, p.revision
  from sites s left join card_testing_policies p on p.site_id = s.id
 where s.id = $1`

const HITS = `
select rule, count(*) filter (where at > now() - interval '1 hour') as last_hour, count(*) as last_day,
       count(*) filter (where refused) as refused, max(at) as last_at,
       (array_agg(transaction_id order by id desc))[1] as last_transaction_id
  from card_testing_hits
 where site_id = $1 and at > now() - interval '24 hours'
 group by rule order by rule`

/** Reads a site's rules, their hits, and the payments that rules can be tried on. */
export function createCardTestingReader(pool: pg.Pool): CardTestingReader {
  return {
    async show(siteId) {
      const { rows } = await pool.query<PolicyRow>(FIND, [siteId])
      const [row] = rows
      return row === undefined ? null : { ...rulesOf(row), hits: await readHits(pool, siteId) }
    },

    readPastPayments: (siteId, days) => readPastPayments(pool, siteId, days),
  }
}

/** Transactions in which the velocity rules of a site are changed. */
export function cardTestingTransact(pool: pg.Pool): Transact<CardTestingTx> {
  return createTransact(pool, (client) => ({
    // Not `for update`: payments of the site insert rows that refer to it, and would wait.
    async lockSite(siteId: bigint) {
      const { rows } = await client.query<{ merchant_id: string }>(
        'select merchant_id from sites where id = $1 for no key update',
        [siteId],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].merchant_id)
    },

    async readRules(siteId: bigint) {
      const { rows } = await client.query<PolicyRow>(FIND, [siteId])
      const [row] = rows
      invariant(row !== undefined, 'the site is locked')
      return rulesOf(row)
    },

    async writeRules(siteId: bigint, { rules, exceptAddresses }: CardTestingDraft) {
      const { rows } = await client.query<{ revision: number }>(
        `insert into card_testing_policies as p (site_id, rules, except_addresses) values ($1, $2, $3)
         on conflict (site_id) do update
           set (rules, except_addresses, revision, changed_at) = ($2, $3, p.revision + 1, now())
         returning revision`,
        [siteId, JSON.stringify(rules), exceptAddresses],
      )
      return rows[0]?.revision ?? 0
    },

    async setMode(siteId: bigint, mode: CardTestingSetting) {
      await client.query(
        'update card_testing_policies set mode = $2, changed_at = now() where site_id = $1',
        [siteId, mode],
      )
    },
  }))
}

function rulesOf(row: PolicyRow): SiteRules {
  return {
    mode: row.mode ?? 'off',
    rules: row.rules ?? [],
    exceptAddresses: row.except_addresses ?? [],
    revision: row.revision ?? 0,
  }
}

async function readHits(pool: pg.Pool, siteId: bigint): Promise<CardTestingView['hits']> {
  const { rows } = await pool.query<{
    rule: string
    last_hour: string
    last_day: string
    refused: string
    last_at: Date
    last_transaction_id: string
  }>(HITS, [siteId])
  return rows.map((row) => ({
    rule: row.rule,
    lastHour: Number(row.last_hour),
    lastDay: Number(row.last_day),
    refused: Number(row.refused),
    lastAt: row.last_at,
    lastTransactionId: BigInt(row.last_transaction_id),
  }))
}
