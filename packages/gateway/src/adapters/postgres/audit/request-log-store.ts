import type { RequestLogEntry } from '../../../usecases/audit/request-log.ts'
import { defineColumns } from '../connection/columns.ts'
import type { Database } from '../connection/database.ts'
import { createGroupLane } from '../connection/group-lane.ts'
import { isBeyondRanges, openRequestRanges } from './request-ranges.ts'

const columns = defineColumns({
  id: 'bigint',
  received_at: 'timestamptz',
  merchant_id: 'bigint',
  site_id: 'bigint',
  username: 'text',
  address: 'text',
  action: 'text',
  parameters: 'json',
  http_status: 'int',
  api_code: 'text',
  service_code: 'int',
  ref_field: 'text',
  state: 'text',
  order_id: 'bigint',
  transaction_id: 'bigint',
  took_ms: 'int',
})

const INSERT = `insert into requests (${columns.names})
select * from unnest(${columns.parameters(1)})`

/** Keeps requests for portal users to look at: behind the payments, never in their way. */
export interface RequestLogStore {
  log(entry: RequestLogEntry): void
  idle(): Promise<void>
  /** Entries that could not be kept, since the start. */
  readonly lost: number
}

export function createRequestLogStore(
  database: Database,
  onLost: (error: unknown) => void,
): RequestLogStore {
  // No money hangs on these rows, so they don't wait for the disk.
  const pool = database.lane('requests', { durable: false })
  const insert = async (entries: readonly RequestLogEntry[]): Promise<void> => {
    await pool.query({
      name: 'log requests',
      text: INSERT,
      values: columns.values(entries.map(row)),
    })
  }
  let lost = 0
  const lane = createGroupLane<RequestLogEntry, null>({
    groupSize: 512,
    limit: 20_000,
    gatherMs: 50,
    async write(entries) {
      try {
        await insert(entries)
      } catch (error) {
        if (!isBeyondRanges(error)) throw error
        await openRequestRanges(pool, highestId(entries))
        await insert(entries)
      }
      return entries.map(() => null)
    },
  })
  return {
    log(entry) {
      lane.submit(entry).catch((error: unknown) => {
        lost += 1
        onLost(error)
      })
    },
    idle: () => lane.idle(),
    get lost() {
      return lost
    },
  }
}

function highestId(entries: readonly RequestLogEntry[]): bigint {
  return entries.reduce((most, { requestId }) => (requestId > most ? requestId : most), 0n)
}

function row(entry: RequestLogEntry): Parameters<typeof columns.values>[0][number] {
  return {
    id: entry.requestId,
    received_at: entry.receivedAt,
    merchant_id: entry.merchantId,
    site_id: entry.siteId,
    username: entry.username,
    address: entry.address,
    action: entry.action,
    parameters: entry.parameters,
    http_status: entry.httpStatus,
    api_code: entry.apiCode,
    service_code: entry.serviceCode,
    ref_field: entry.refField,
    state: entry.state,
    order_id: entry.orderId,
    transaction_id: entry.transactionId,
    took_ms: entry.tookMs,
  }
}
