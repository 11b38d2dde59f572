import type pg from 'pg'
import { appendAudit } from '../../../adapters/postgres/audit/audit-log.ts'
import { AUDITED, inTransaction } from '../../../adapters/postgres/connection/transaction.ts'
import type { AuthorizationPlace, ResetCounts, ResetStore } from '../usecases/reset-site.ts'

interface Row {
  readonly id: string
  readonly begun_at: Date
  readonly done_at: Date | null
  readonly done: Partial<ResetCounts>
}

const ADD = `update site_resets set done = jsonb_set(done, array[$2], to_jsonb(coalesce((done->>$2)::bigint, 0) + $3::bigint))
 where id = $1 and done_at is null`

/** Transactions before the site's last change of mode are of its live time, and kept. */
const SINCE_TEST = `coalesce((select max(at) from audit_entries
  where merchant_id = $1 and operation = 'site.mode_set' and object = 'site ' || $2::bigint and result = 'done'), '-infinity')`

/** Volumes of the account count no more, unless another site has the account too. */
const FORGET_VOLUMES = `delete from account_volumes v
  using site_merchant_accounts m join sites s on s.id = m.site_id
  where m.site_id = $1 and s.merchant_id = $2 and v.merchant_id = s.merchant_id
    and v.merchant_account_id = m.merchant_account_id and s.mode = 'test'
    and not exists (select from site_merchant_accounts o
                     where o.merchant_account_id = m.merchant_account_id and o.site_id <> $1)`

const FINISH: readonly (readonly [kind: keyof ResetCounts, text: string])[] = [
  // A payment that is under way keeps its claim.
  [
    'references',
    `with keys as (
       delete from idempotency_keys k using transactions t
        where k.site_id = $1 and k.merchant_id = $2 and k.mode = 'test'
          and t.id = k.transaction_id and t.state not in ('running', 'pending'))
     delete from order_claims where site_id = $1 and merchant_id = $2 and mode = 'test' and state <> 'running'`,
  ],
  [
    'logins',
    `delete from customer_logins l using sites s where l.site_id = $1 and s.id = l.site_id and s.merchant_id = $2 and l.mode = 'test'`,
  ],
  [
    'tokens',
    `update card_tokens set pan_ciphertext = null, data_key_id = null
      where site_id = $1 and merchant_id = $2 and mode = 'test' and pan_ciphertext is not null`,
  ],
]

/** Resets in site_resets; what they may touch is of test sites only, and a trigger sees to that. */
export function createResetStore(pool: pg.Pool): ResetStore {
  return {
    async begin(author, address, siteId, key) {
      try {
        return await inTransaction(pool, AUDITED, async (client) => {
          const inserted = await client.query<Row>(
            `insert into site_resets (merchant_id, site_id, portal_user_id, key) values ($1, $2, $3, $4)
             on conflict (site_id, key) do nothing returning id, begun_at, done_at, done`,
            [author.merchantId, siteId, author.portalUserId, key],
          )
          const [made] = inserted.rows
          const row =
            made ??
            (
              await client.query<Row>(
                'select id, begun_at, done_at, done from site_resets where site_id = $1 and key = $2 and merchant_id = $3',
                [siteId, key, author.merchantId],
              )
            ).rows[0]
          if (made !== undefined) {
            await appendAudit(client, [
              {
                actor: author.actor,
                operation: 'site.reset',
                object: `site ${siteId}`,
                merchantId: author.merchantId,
                address,
                result: 'done',
                details: { reset: made.id, step: 'begun' },
              },
            ])
          }
          return {
            ok: true,
            reset:
              row === undefined
                ? null
                : {
                    id: BigInt(row.id),
                    begunAt: row.begun_at,
                    doneAt: row.done_at,
                    done: row.done,
                  },
          }
        }).then(({ reset }) => reset)
      } catch (error) {
        if ((error as { readonly constraint?: string }).constraint === 'site_resets_of_test_sites')
          return null
        throw error
      }
    },
    async openMemberships(merchantId, siteId, after, limit) {
      const { rows } = await pool.query<{ id: string }>(
        `select id from memberships
          where merchant_id = $1 and site_id = $2 and mode = 'test' and id > $3 and state in ('active', 'past_due', 'cancel_scheduled')
          order by id limit $4`,
        [merchantId, siteId, after, limit],
      )
      return rows.map(({ id }) => BigInt(id))
    },
    async openAuthorizations(merchantId, siteId, after, limit) {
      const { rows } = await pool.query<{ id: string; expires_at: Date }>(
        `select id, expires_at from orders
          where merchant_id = $1 and site_id = $2 and mode = 'test' and state = 'authorized' and released_at is null
            and expires_at is not null and (expires_at, id) > (coalesce($3::timestamptz, '-infinity'), coalesce($4::bigint, 0))
            and captured_minor + voided_minor < authorized_minor
          order by expires_at, id limit $5`,
        [merchantId, siteId, after?.expiresAt ?? null, after?.id ?? null, limit],
      )
      return rows.map((row): AuthorizationPlace => ({
        id: BigInt(row.id),
        expiresAt: row.expires_at,
      }))
    },
    async count(id, kind, more) {
      await pool.query(ADD, [id, kind, more])
    },
    async removeRequests(merchantId, siteId, before, limit) {
      const { rowCount } = await pool.query(
        `delete from requests where id = any (array(
           select id from requests
            where merchant_id = $1 and received_at <= $3 and received_at > ${SINCE_TEST} and site_id = $2 order by received_at limit $4))
           and exists (select from sites s where s.id = $2 and s.merchant_id = $1 and s.mode = 'test')`,
        [merchantId, siteId, before, limit],
      )
      return rowCount ?? 0
    },
    async finish(author, address, siteId, id) {
      await inTransaction(pool, AUDITED, async (client) => {
        // A move of the site to live mode waits until this is over.
        const open = await client.query(
          `select from site_resets r join sites s on s.id = r.site_id
            where r.id = $1 and r.done_at is null and s.id = $2 and s.merchant_id = $3 and s.mode = 'test' for update of r for share of s`,
          [id, siteId, author.merchantId],
        )
        if (open.rowCount !== 1) return { ok: false }
        for (const [kind, text] of FINISH) {
          const { rowCount } = await client.query(text, [siteId, author.merchantId])
          await client.query(ADD, [id, kind, rowCount ?? 0])
        }
        await client.query(FORGET_VOLUMES, [siteId, author.merchantId])
        const { rows } = await client.query<{ done: ResetCounts }>(
          'update site_resets set done_at = now() where id = $1 returning done',
          [id],
        )
        await appendAudit(client, [
          {
            actor: author.actor,
            operation: 'site.reset',
            object: `site ${siteId}`,
            merchantId: author.merchantId,
            address,
            result: 'done',
            details: { reset: String(id), step: 'done', ...rows[0]?.done },
          },
        ])
        return { ok: true }
      })
    },
    async read(merchantId, id) {
      const { rows } = await pool.query<Row>(
        'select id, begun_at, done_at, done from site_resets where id = $1 and merchant_id = $2',
        [id, merchantId],
      )
      const [row] = rows
      return row === undefined
        ? null
        : { begunAt: row.begun_at, doneAt: row.done_at, done: row.done }
    },
  }
}
