import type pg from 'pg'
import type { FetchedAccount } from '../../../usecases/disputes/fetch-notices.ts'
import type { OwnerStore } from '../../../usecases/disputes/import-notices.ts'
import { appendAudit } from '../audit/audit-log.ts'

const OWNER = `
select distinct s.merchant_id, s.merchant_account_id, s.sender, s.account, a.mode
  from settlement_sources s join merchant_accounts a on a.id = s.merchant_account_id
 where s.sender = $1 and s.receiver = $2 and s.account = $3 limit 1`

/** The accounts that files of notices are for, by the sources of settlement files. */
export function createOwnerStore(pool: pg.Pool): OwnerStore {
  return {
    async findOwner({ account, receiver, sender }) {
      const { rows } = await pool.query<{
        merchant_id: string
        merchant_account_id: string
        sender: string
        account: string
        mode: 'test' | 'live'
      }>(OWNER, [sender, receiver, account])
      const [row] = rows
      if (row === undefined) return null
      return {
        merchantId: BigInt(row.merchant_id),
        merchantAccountId: BigInt(row.merchant_account_id),
        sender: row.sender,
        account: row.account,
        mode: row.mode,
      }
    },
    async recordRefusal(owner, { line, name }, by) {
      await appendAudit(pool, [
        {
          actor: by,
          operation: 'dispute.notices_refused',
          object: owner === null ? '' : `merchant account ${owner.merchantAccountId}`,
          ...(owner === null ? {} : { merchantId: owner.merchantId }),
          result: 'refused',
          details: { file: name, line },
        },
      ])
    },
  }
}

/** Test accounts of the bundled bank, each with its last notice. */
const FETCHED = `
select a.id, a.merchant_id, a.acquirer_merchant_id as account,
       coalesce((select f.last_n from dispute_feeds f where f.merchant_account_id = a.id), 0)
         as last_n
  from merchant_accounts a
 where a.mode = 'test' and a.processor_link_id is null
   and not exists (select from dispute_feeds f
                    where f.merchant_account_id = a.id and f.sender <> $1)
 order by a.id`

/** @param sender the name of the bundled bank in feeds */
export async function findFetchedAccounts(
  pool: pg.Pool,
  sender: string,
): Promise<readonly FetchedAccount[]> {
  const { rows } = await pool.query<{
    id: string
    merchant_id: string
    account: string
    last_n: string
  }>(FETCHED, [sender])
  return rows.map((row) => ({
    merchantId: BigInt(row.merchant_id),
    merchantAccountId: BigInt(row.id),
    sender,
    account: row.account,
    lastN: BigInt(row.last_n),
  }))
}
