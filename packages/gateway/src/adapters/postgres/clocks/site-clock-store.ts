import type pg from 'pg'
import type {
  ClockChange,
  ClockState,
  Done,
  LeasedClock,
  SiteClockStore,
} from '../../../usecases/clocks/site-clock-store.ts'
import { timeShown } from '../../../usecases/clocks/stored-clock.ts'
import { isStopped } from '../connection/disabled-merchants.ts'

/** How long a process may go by what it knew of a site, and a second for a reading under way. */
const KNOWN_TO_ALL_AFTER_MS = 3_000
const LEASE = `interval '10 seconds'`

interface ClockRow {
  readonly site_at: Date
  readonly real_at: Date
  readonly speed: number
  readonly target_at: Date | null
  readonly moved_from: Date | null
  readonly done: Done
  readonly age_ms: number
  readonly busy: boolean
}

const COLUMNS = `c.site_at, c.real_at, c.speed, c.target_at, c.moved_from, c.done,
  (extract(epoch from now() - c.made_at) * 1000)::double precision as age_ms,
  (c.leased_until > now()) is true as busy`

const SHOWN = 'site_time(c.site_id, $2)'

// The shown time becomes the new start, so that the time that has passed is not lost.
const AIM = `
update site_clocks c
   set site_at = ${SHOWN}, real_at = $2, target_at = $3, moved_from = ${SHOWN}, done = '{}',
       changed_by = $4, changed_at = now(), look_at = now()
 where c.site_id = $1 and c.target_at is null and ${SHOWN} <= $3
returning ${COLUMNS}`

const SET_SPEED = `
update site_clocks c
   set site_at = ${SHOWN}, real_at = $2, speed = $3, changed_by = $4, changed_at = now(), look_at = now()
 where c.site_id = $1 and c.target_at is null
returning ${COLUMNS}`

const REMOVE = `
delete from site_clocks c
 where c.site_id = $1 and c.target_at is null and ${SHOWN} <= $2
returning ${COLUMNS}`

// Moving clocks first: a user waits for them. A disabled merchant's wait, with all that is due.
const TAKE = `
update site_clocks c
   set lease = c.lease + 1, leased_until = now() + ${LEASE}, look_at = 'infinity'
  from (select s.site_id, s.merchant_id from site_clocks w
          join (select id as site_id, merchant_id from sites) s using (site_id)
         where ((w.look_at <= now() and w.leased_until is null) or w.leased_until < now())
           and not ${isStopped('s')}
         order by w.target_at is null, w.speed <= 1, w.look_at limit $1
           for update of w skip locked) due
 where c.site_id = due.site_id
returning c.site_id, c.lease, due.merchant_id, ${COLUMNS}`

const RENEW = `
update site_clocks set leased_until = now() + ${LEASE} where site_id = $1 and lease = $2`

// A clock that ran fast may have been aimed at a moment within what was just done.
const REACH = `
update site_clocks
   set site_at = least(greatest(site_at, $3), coalesce(target_at, $3)), real_at = $4, done = $5,
       target_at = case when $6 then null else target_at end
 where site_id = $1 and lease = $2`

// Infinite unless the clock was changed meanwhile; then a worker must check at once.
const RELEASE = `
update site_clocks
   set leased_until = null, look_at = least(look_at, now() + make_interval(secs => $3))
 where site_id = $1 and lease = $2`

/** Clocks in site_clocks. */
export function createSiteClockStore(pool: pg.Pool): SiteClockStore {
  async function read(siteId: bigint): Promise<ClockState | null> {
    const { rows } = await pool.query<ClockRow>(
      `select ${COLUMNS} from site_clocks c where c.site_id = $1`,
      [siteId],
    )
    return rows[0] === undefined ? null : stateOf(rows[0])
  }

  /** Changes it, or says why that was not to be. */
  async function change(
    text: string,
    siteId: bigint,
    now: Date,
    rest: readonly unknown[],
  ): Promise<ClockChange> {
    const { rows } = await pool.query<ClockRow>(text, [siteId, now, ...rest])
    if (rows[0] !== undefined) return { kind: 'changed', state: stateOf(rows[0]) }
    const state = await read(siteId)
    if (state === null) return { kind: 'none' }
    if (state.targetAt !== null) return { kind: 'moving', state }
    return { kind: timeShown(state, now) > now ? 'ahead' : 'backwards', state }
  }

  return {
    read,
    async make(siteId, now, by) {
      await pool.query(
        `insert into site_clocks (site_id, site_at, real_at, changed_by) values ($1, $2, $2, $3)
         on conflict (site_id) do nothing`,
        [siteId, now, by],
      )
    },
    async aim(siteId, target, now, by) {
      const changed = await change(AIM, siteId, now, [target, by])
      return changed.kind === 'ahead' ? { ...changed, kind: 'backwards' } : changed
    },
    setSpeed: (siteId, speed, now, by) => change(SET_SPEED, siteId, now, [speed, by]),
    remove: (siteId, now) => change(REMOVE, siteId, now, []),

    async lease(limit) {
      const { rows } = await pool.query<
        ClockRow & {
          readonly site_id: string
          readonly merchant_id: string
          readonly lease: string
        }
      >({ name: 'lease site clocks', text: TAKE, values: [limit] })
      return rows.map((row) => ({
        ...stateOf(row),
        site: { id: BigInt(row.site_id), merchantId: BigInt(row.merchant_id) },
        lease: BigInt(row.lease),
      }))
    },
    async renew({ site, lease }) {
      const { rowCount } = await pool.query(RENEW, [site.id, lease])
      return rowCount === 1
    },
    async reach({ site, lease }, { arrived, at, done, now }) {
      const values = [site.id, lease, at, now, JSON.stringify(done), arrived]
      const { rowCount } = await pool.query({ name: 'reach by site clock', text: REACH, values })
      return rowCount === 1
    },
    async release({ site, lease }: LeasedClock, lookAgainMs) {
      await pool.query(RELEASE, [site.id, lease, lookAgainMs / 1_000])
    },
  }
}

function stateOf(row: ClockRow): ClockState {
  return {
    siteAt: row.site_at,
    realAt: row.real_at,
    speed: row.speed,
    targetAt: row.target_at,
    movedFrom: row.moved_from,
    done: row.done,
    isLookedAfter: row.busy,
    unknownForMs: Math.max(0, KNOWN_TO_ALL_AFTER_MS - row.age_ms),
  }
}
