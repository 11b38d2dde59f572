import type pg from 'pg'
import type { StandbyLag } from '../../../base/database-load.ts'

// A role without pg_monitor sees the rows of others without their positions.
const LAG = `
select application_name as standby,
       pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn)::float8 as bytes,
       coalesce(extract(epoch from replay_lag), 0)::float8 as seconds
  from pg_stat_replication where replay_lsn is not null`

/**
 * The standbys of the primary, and how far each is behind. Empty without a standby, and for a role
 * that may not see them.
 */
export async function readStandbyLag(pool: pg.Pool): Promise<readonly StandbyLag[]> {
  const { rows } = await pool.query<StandbyLag>({ name: 'lag of standbys', text: LAG })
  return rows
}
