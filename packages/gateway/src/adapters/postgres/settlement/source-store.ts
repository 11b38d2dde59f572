import type pg from 'pg'
import type { SourceRequest, SourceTx } from '../../../usecases/settlement/put-source.ts'

/** The verbs of a change of a source, on the connection of its transaction. */
export function sourceTx(client: pg.ClientBase): SourceTx {
  return {
    async lockAccount(accountId) {
      await client.query('select from merchant_accounts where id = $1 for no key update', [
        accountId,
      ])
      const { rows } = await client.query<{ merchant_id: string }>(
        'select merchant_id from merchant_accounts where id = $1',
        [accountId],
      )
      const [row] = rows
      return row === undefined ? null : { merchantId: BigInt(row.merchant_id) }
    },
    async findTaken(request) {
      const { rows } = await client.query<{ merchant_account_id: string }>(
        `select merchant_account_id from settlement_sources
          where sender = $1 and account = $2 and currency = $3 and merchant_account_id <> $4`,
        [request.sender, request.account, request.currency, request.accountId],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].merchant_account_id)
    },
    put: (request, merchantId, by) => putSource(client, request, merchantId, by),
  }
}

async function putSource(
  client: pg.ClientBase,
  request: SourceRequest,
  merchantId: bigint,
  by: string,
): Promise<bigint> {
  const { account, accountId, currency, fxBandBasisPoints, receiver, sender, since } = request
  const { rows } = await client.query<{ id: string }>(
    `insert into settlement_sources
       (merchant_id, merchant_account_id, currency, sender, receiver, account, since,
        fx_band_basis_points, made_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         on conflict (merchant_account_id, currency) do update
        set sender = excluded.sender, receiver = excluded.receiver, account = excluded.account,
            since = excluded.since, fx_band_basis_points = excluded.fx_band_basis_points
     returning id`,
    [merchantId, accountId, currency, sender, receiver, account, since, fxBandBasisPoints, by],
  )
  return BigInt(rows[0]?.id ?? 0)
}
