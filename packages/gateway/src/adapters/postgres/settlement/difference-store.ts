import type pg from 'pg'
import type { DifferenceCode, DifferenceEnd } from '../../../domain/settlement/difference.ts'
import type {
  DifferenceTx,
  LockedDifference,
} from '../../../usecases/settlement/difference-store.ts'
import { isLockTimeout } from '../connection/transaction.ts'
import { SUSPENDED } from './booking-statements.ts'

const READ = `
select d.id, d.code, d.state, d.ended_as, d.merchant_id, d.owner,
       case when d.code in ('payout_short', 'payout_over', 'payout_unknown')
              then d.bank_minor - coalesce(d.here_minor, 0)
            when d.file_id is null then 0 else ${SUSPENDED('d.file_id', 'd.n')} end as suspended,
       case when d.code <> 'missing_at_bank' then 0
            when t.kind = 'refund' then -d.here_minor else d.here_minor end as missing
  from settlement_differences d left join transactions t on t.id = d.transaction_id
 where d.id = $1 and ($2::bigint is null or d.merchant_id = $2)`

/** The verbs of a change of one difference, on the connection of its transaction. */
export function differenceTx(client: pg.ClientBase): DifferenceTx {
  return {
    async lock(id, merchantId) {
      try {
        await client.query(
          `select from settlement_differences
            where id = $1 and ($2::bigint is null or merchant_id = $2) for update`,
          [id, merchantId],
        )
      } catch (error) {
        if (!isLockTimeout(error)) throw error
        return 'busy'
      }
      return readLocked(client, id, merchantId)
    },
    async isPortalUser(merchantId, email) {
      const { rowCount } = await client.query(
        'select from portal_users where merchant_id = $1 and email = $2 and active',
        [merchantId, email],
      )
      return rowCount === 1
    },
    async assign(id, owner) {
      await client.query('update settlement_differences set owner = $2 where id = $1', [id, owner])
    },
    async addNote(id, author, text) {
      await client.query(
        `insert into settlement_difference_notes (difference_id, number, author, content)
         select $1, coalesce(max(number), 0) + 1, $2, $3
           from settlement_difference_notes where difference_id = $1`,
        [id, author, text],
      )
    },
    async end(id, { as, at, by, reason }, posting) {
      await client.query(
        `update settlement_differences
            set state = 'ended', ended_as = $2, ended_by = $3, ended_at = $4, ended_reason = $5
          where id = $1`,
        [id, as, by, at, reason],
      )
      if (posting === null) return
      await client.query(
        `insert into settlement_postings
           (event, event_id, n, kind, source_id, merchant_id, currency, amount_minor, posted_at)
         select 'difference', d.id, 0, $2::settlement_posting_kind, s.id, s.merchant_id,
                case when d.code = 'missing_at_bank' then d.here_currency else s.currency end,
                $3, $4
           from settlement_differences d join settlement_sources s on s.id = d.source_id
          where d.id = $1`,
        [id, posting.kind, posting.minor, at],
      )
    },
  }
}

async function readLocked(
  client: pg.ClientBase,
  id: bigint,
  merchantId: bigint | null,
): Promise<LockedDifference | null> {
  const { rows } = await client.query<{
    code: DifferenceCode
    state: 'open' | 'ended'
    ended_as: DifferenceEnd | null
    merchant_id: string
    owner: string
    suspended: string
    missing: string
  }>(READ, [id, merchantId])
  const [row] = rows
  if (row === undefined) return null
  return {
    id,
    code: row.code,
    state: row.state,
    endedAs: row.ended_as,
    owner: row.owner,
    merchantId: BigInt(row.merchant_id),
    suspendedMinor: BigInt(row.suspended),
    missingMinor: BigInt(row.missing),
  }
}
