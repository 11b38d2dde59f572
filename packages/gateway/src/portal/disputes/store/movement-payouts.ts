import type pg from 'pg'
import type { MovementPayouts } from '../usecases/movement-payouts.ts'

/** The payout of a line is the next one of its source. */
const PAYOUTS = `
select m.file_id, m.n,
       (select p.id from settlement_payouts p
         where p.source_id = m.source_id and (p.file_id, p.n) > (m.file_id, m.n)
         order by p.file_id, p.n limit 1) as payout_id
  from dispute_movements m where m.dispute_id = $1 and m.merchant_id = $2`

export function createMovementPayouts(pool: pg.Pool): MovementPayouts {
  return {
    async read(merchantId, disputeId) {
      const { rows } = await pool.query<{
        file_id: string
        n: number
        payout_id: string | null
      }>(PAYOUTS, [disputeId, merchantId])
      const found = new Map(rows.map((row) => [`${row.file_id}-${row.n}`, row.payout_id]))
      return ({ fileId, line }) => {
        const id = found.get(`${fileId}-${line}`) ?? null
        return id === null ? null : BigInt(id)
      }
    },
  }
}
