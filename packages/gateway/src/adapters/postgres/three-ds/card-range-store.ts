import type pg from 'pg'
import type {
  CardRangeStore,
  StoredCardRange,
} from '../../../usecases/three-ds/card-range-store.ts'

const CLAIM = `
update three_ds_directories set lease_until = $4
 where name = $1 and next_ask_at <= $2 and (lease_until is null or lease_until <= $2)
   and (refreshed_at is null or refreshed_at <= $3)
returning serial_num`

/** The time for which an unused Directory Server is kept. */
const FORGOTTEN_AFTER = '30 days'

/** Card ranges in the database: one row for each Directory Server. */
export function createCardRangeStore(pool: pg.Pool): CardRangeStore {
  return {
    async claim(directory, now, staleBefore, leaseUntil) {
      const values = [directory, now, staleBefore, leaseUntil]
      const claim = () => pool.query<{ serial_num: string | null }>(CLAIM, values)
      let { rows } = await claim()
      if (rows.length === 0) {
        const made = await pool.query(
          'insert into three_ds_directories (name, next_ask_at) values ($1, $2) on conflict do nothing',
          [directory, now],
        )
        if (made.rowCount === 1) ({ rows } = await claim())
      }
      const row = rows[0]
      return row === undefined ? null : { serialNum: row.serial_num }
    },

    async readState(directory) {
      const { rows } = await pool.query<{
        revision: string
        refreshed_at: Date | null
        last_fault: string
      }>({
        name: 'read card range state',
        text: 'select revision, refreshed_at, last_fault from three_ds_directories where name = $1',
        values: [directory],
      })
      const row = rows[0]
      if (row === undefined) return null
      return {
        revision: Number(row.revision),
        refreshedAt: row.refreshed_at,
        lastFault: row.last_fault,
      }
    },

    async readList(directory) {
      const { rows } = await pool.query<{
        ranges: StoredCardRange[]
        serial_num: string | null
        ds_from: string | null
        ds_to: string | null
      }>('select ranges, serial_num, ds_from, ds_to from three_ds_directories where name = $1', [
        directory,
      ])
      const row = rows[0]
      if (row === undefined || row.ds_from === null) return null
      return {
        ranges: row.ranges,
        serialNum: row.serial_num,
        dsFrom: row.ds_from,
        dsTo: row.ds_to,
      }
    },

    async save(directory, changed, now, nextAskAt) {
      if (changed === null) {
        await pool.query(
          `update three_ds_directories
              set refreshed_at = $2, next_ask_at = $3, lease_until = null, last_fault = ''
            where name = $1`,
          [directory, now, nextAskAt],
        )
        return
      }
      await pool.query(
        `update three_ds_directories
            set ranges = $4, serial_num = $5, ds_from = $6, ds_to = $7, revision = revision + 1,
                refreshed_at = $2, next_ask_at = $3, lease_until = null, last_fault = ''
          where name = $1`,
        [
          directory,
          now,
          nextAskAt,
          JSON.stringify(changed.ranges),
          changed.serialNum,
          changed.dsFrom,
          changed.dsTo,
        ],
      )
      await pool.query(
        `delete from three_ds_directories
          where next_ask_at < $1::timestamptz - interval '${FORGOTTEN_AFTER}'`,
        [now],
      )
    },

    async postpone(directory, fault, nextAskAt, forgetSerial) {
      await pool.query(
        `update three_ds_directories
            set next_ask_at = $2, lease_until = null, last_fault = $3,
                serial_num = case when $4 then null else serial_num end
          where name = $1`,
        [directory, nextAskAt, fault, forgetSerial],
      )
    },
  }
}
