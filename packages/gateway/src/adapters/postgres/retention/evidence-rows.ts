import type { RetentionRule } from '../../../usecases/retention/retention-store.ts'
import type { DueRow, RetentionRows } from './retention-rows.ts'

const DAY_MS = 86_400_000

/** Cases that ended before $2 and still have a text or a file. */
const DUE = `
select d.id, d.ended_at as since from disputes d
 where d.id = any($1::bigint[]) and d.ended_at < $2
   and (exists (select from dispute_files f where f.dispute_id = d.id and f.erased_at is null)
        or exists (select from dispute_answers w
                    where w.dispute_id = d.id and w.text_ciphertext is not null))`

const ERASE_FILES = `
update dispute_files
   set content_ciphertext = null, key_ciphertext = null, data_key_id = null, erased_at = $2
 where dispute_id = any($1::bigint[]) and erased_at is null`

const ERASE_TEXTS = `
update dispute_answers set text_ciphertext = null, text_data_key_id = null, erased_at = $2
 where dispute_id = any($1::bigint[]) and text_ciphertext is not null`

/** Evidence of ended cases. A notice that opens one again waits for its lock. */
export const evidenceRows: RetentionRows = {
  table: 'disputes',
  atOnce: 100,
  async due(client, ids, rule) {
    const { rows } = await client.query<DueRow>(DUE, [ids, earliestKept(rule)])
    return rows
  },
  async erase(client, ids, rule) {
    await client.query('select from disputes where id = any($1::bigint[]) order by id for update', [
      ids,
    ])
    const { rows } = await client.query<{ id: string }>(DUE, [ids, earliestKept(rule)])
    const due = rows.map(({ id }) => id)
    await client.query(ERASE_FILES, [due, rule.now])
    await client.query(ERASE_TEXTS, [due, rule.now])
    return due.length
  },
}

function earliestKept({ days, now }: RetentionRule): Date {
  return new Date(now.getTime() - days * DAY_MS)
}
