import type pg from 'pg'

/** The first site of the merchant whose payments may go to the account, of the account's mode. */
export async function findSiteOfAccount(
  pool: pg.Pool,
  merchantId: bigint,
  accountId: bigint,
): Promise<bigint | null> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'find site of account',
    text: `select s.id from sites s
             join site_merchant_accounts m on m.site_id = s.id
             join merchant_accounts a on a.id = m.merchant_account_id and a.mode = s.mode
            where s.merchant_id = $1 and a.merchant_id = $1 and (a.id = $2 or a.stands_for = $2)
            order by s.id limit 1`,
    values: [merchantId, accountId],
  })
  return rows[0] === undefined ? null : BigInt(rows[0].id)
}
