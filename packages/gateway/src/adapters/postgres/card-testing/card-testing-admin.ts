import type pg from 'pg'
import { refused, type Result } from '../../../base/refusal.ts'
import type { CardTestingRule } from '../../../domain/card-testing/card-testing.ts'
import { noSuchSite, siteChangedMeanwhile } from '../../../domain/merchants/refused-site.ts'
import type {
  CardTestingAdmin,
  CardTestingDraft,
  CardTestingSetting,
  CardTestingView,
} from '../../../usecases/card-testing/card-testing-operator.ts'
import { appendAudit } from '../audit/audit-log.ts'
import { AUDITED, inTransaction } from '../connection/transaction.ts'
import { readPastPayments } from './card-testing-past.ts'

interface PolicyRow {
  readonly merchant_id: string
  readonly mode: CardTestingSetting | null
  readonly rules: readonly CardTestingRule[] | null
  readonly except_addresses: string[] | null
  readonly revision: number | null
}

const FIND = `
select s.merchant_id, p.mode, p.rules, p.except_addresses, p.revision
  from sites s left join card_testing_policies p on p.site_id = s.id
 where s.id = $1`

const HITS = `
select rule, count(*) filter (where at > now() - interval '1 hour') as last_hour, count(*) as last_day,
       count(*) filter (where refused) as refused, max(at) as last_at,
       (array_agg(transaction_id order by id desc))[1] as last_transaction_id
  from card_testing_hits
 where site_id = $1 and at > now() - interval '24 hours'
 group by rule order by rule`

/** Operators' changes of a site's rules; each change and its audit entry are one transaction. */
export function createCardTestingAdmin(pool: pg.Pool): CardTestingAdmin {
  return {
    async show(siteId) {
      const { rows } = await pool.query<PolicyRow>(FIND, [siteId])
      const [row] = rows
      return row === undefined ? null : { ...viewOf(row), hits: await readHits(pool, siteId) }
    },

    put: (siteId, draft, by, seen = null) =>
      changing(pool, siteId, async (client, before): Promise<Result<{ revision: number }>> => {
        if (seen !== null && seen !== viewOf(before).revision) return siteChangedMeanwhile(siteId)
        const { rows } = await client.query<{ revision: number }>(
          `insert into card_testing_policies as p (site_id, rules, except_addresses) values ($1, $2, $3)
           on conflict (site_id) do update
             set (rules, except_addresses, revision, changed_at) = ($2, $3, p.revision + 1, now())
           returning revision`,
          [siteId, JSON.stringify(draft.rules), draft.exceptAddresses],
        )
        const revision = rows[0]?.revision ?? 0
        await appendAudit(client, [
          {
            ...by,
            act: 'card_testing.put',
            object: `site ${siteId}`,
            merchantId: BigInt(before.merchant_id),
            result: 'done',
            details: {
              revision,
              rulesBefore: describe(viewOf(before)),
              rules: describe(draft),
              exceptAddresses: draft.exceptAddresses,
            },
          },
        ])
        return { ok: true, revision }
      }),

    setMode: (siteId, mode, by, seen = null) =>
      changing(
        pool,
        siteId,
        async (client, before): Promise<Result<{ from: CardTestingSetting }>> => {
          const { mode: from, rules, revision } = viewOf(before)
          if (seen !== null && (seen.mode !== from || seen.revision !== revision))
            return siteChangedMeanwhile(siteId)
          if (from === mode) return refused('conflict', `Site ${siteId} has it on ${mode} already.`)
          if (rules.length === 0) return refused('conflict', noRules(siteId))
          await client.query(
            'update card_testing_policies set mode = $2, changed_at = now() where site_id = $1',
            [siteId, mode],
          )
          await appendAudit(client, [
            {
              ...by,
              act: 'card_testing.mode_set',
              object: `site ${siteId}`,
              merchantId: BigInt(before.merchant_id),
              result: 'done',
              details: { from, to: mode },
            },
          ])
          return { ok: true, from }
        },
      ),

    readPastPayments: (siteId, days) => readPastPayments(pool, siteId, days),
  }
}

function noRules(siteId: bigint): string {
  return (
    `Site ${siteId} has no rules yet. "tollgate card-testing defaults > rules.json" writes some to begin ` +
    `with, and "tollgate card-testing put ${siteId} rules.json" puts them in place.`
  )
}

function viewOf(row: PolicyRow): Omit<CardTestingView, 'hits'> {
  return {
    mode: row.mode ?? 'off',
    rules: row.rules ?? [],
    exceptAddresses: row.except_addresses ?? [],
    revision: row.revision ?? 0,
  }
}

function describe({ rules }: CardTestingDraft): string[] {
  return rules.map(
    ({ name, subject, counts, limit, windowSeconds, code }) =>
      `${name}: ${limit} ${counts} of each ${subject} in ${windowSeconds} s, else ${code}`,
  )
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

/** Holds the site while its rules are changed; a result that is not `ok` changes nothing. */
function changing<Done extends object>(
  pool: pg.Pool,
  siteId: bigint,
  change: (client: pg.ClientBase, before: PolicyRow) => Promise<Result<Done>>,
): Promise<Result<Done>> {
  return inTransaction(pool, AUDITED, async (client): Promise<Result<Done>> => {
    await client.query('select from sites where id = $1 for no key update', [siteId])
    const { rows } = await client.query<PolicyRow>(FIND, [siteId])
    const [before] = rows
    return before === undefined ? noSuchSite(siteId) : change(client, before)
  })
}
