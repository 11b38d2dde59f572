import type pg from 'pg'
import type { AuditPushStore } from '../../../usecases/audit/push-audit.ts'
import { readEntriesAfter } from './audit-reader.ts'

/** Longer than an exchange with the receiver may take. */
const CLAIM = `
update audit_push p set leased_until = now() + interval '90 seconds', claims = p.claims + 1
  from audit_head h
 where p.leased_until < now() and p.number < h.number
returning p.number::text, p.claims::text`

/** The position never moves back, and never for a lease that was lost. */
const ADVANCE = `
update audit_push set number = $2, leased_until = '-infinity'
 where claims = $1 and number < $2`

const POSTPONE = `
update audit_push set leased_until = now() + make_interval(secs => $2::float8 / 1000)
 where claims = $1`

const LAG = `
select greatest(0, h.number - p.number)::text as entries,
       coalesce(extract(epoch from now() - e.at), 0)::float8 as seconds
  from audit_push p cross join audit_head h left join audit_entries e on e.number = p.number + 1`

/** The position of the receiver in the database. */
export function createAuditPushStore(pool: pg.Pool): AuditPushStore {
  return {
    async claim(limit) {
      const { rows } = await pool.query<{ number: string; claims: string }>(CLAIM)
      const [row] = rows
      if (row === undefined) return null
      const entries = await readEntriesAfter(pool, BigInt(row.number), limit)
      const last = entries.at(-1)
      return last === undefined ? null : { claim: BigInt(row.claims), entries, last: last.number }
    },
    async advance(claim, number) {
      await pool.query(ADVANCE, [claim, number])
    },
    async postpone(claim, ms) {
      await pool.query(POSTPONE, [claim, ms])
    },
  }
}

/** How many entries the receiver lacks, and how long the oldest of them waits, in seconds. */
export async function readAuditPushLag(
  pool: pg.Pool,
): Promise<{ readonly entries: number; readonly seconds: number }> {
  const { rows } = await pool.query<{ entries: string; seconds: number }>(LAG)
  const [row] = rows
  return { entries: Number(row?.entries ?? 0), seconds: Math.max(0, row?.seconds ?? 0) }
}
