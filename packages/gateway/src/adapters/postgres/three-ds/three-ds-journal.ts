import type {
  JournalEntry,
  ThreeDsMessageJournal,
} from '../../../usecases/three-ds/message-journal.ts'
import { defineColumns } from '../connection/columns.ts'
import type { Database } from '../connection/database.ts'
import { createGroupLane } from '../connection/group-lane.ts'

const columns = defineColumns({
  at: 'timestamptz',
  server_trans_id: 'text',
  direction: 'text',
  type: 'text',
  content: 'json',
})

const INSERT = `insert into three_ds_messages (at, server_trans_id, direction, type, content)
select at, server_trans_id::uuid, direction, type, content
  from unnest(${columns.parameters(1)}) as m (${columns.names})`

/** Keeps 3-D Secure messages in the sequence they come, behind the payments; a loss is reported. */
export function createThreeDsJournal(
  database: Database,
  onLost: (error: unknown) => void,
): ThreeDsMessageJournal {
  const pool = database.lane('3-D Secure journal', { durable: false })
  const lane = createGroupLane<JournalEntry, null>({
    groupSize: 256,
    limit: 20_000,
    gatherMs: 50,
    async write(entries) {
      const values = columns.values(
        entries.map((entry) => ({
          at: entry.at,
          server_trans_id: entry.serverTransId,
          direction: entry.direction,
          type: entry.type,
          content: JSON.stringify(entry.content),
        })),
      )
      await pool.query({ name: 'keep 3-D Secure messages', text: INSERT, values })
      return entries.map(() => null)
    },
  })
  return {
    add: (entry) => void lane.submit(entry).catch(onLost),
    idle: () => lane.idle(),
  }
}
