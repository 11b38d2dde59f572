import { cheapHash } from '../support/cheap-hash.ts'
import { PASSWORD } from './marks.ts'

/** An API user of the demo merchant, whose password is a mark. */
export const MARKED_USER = 'canary@tollgate.test'

type Query = (sql: string, values: readonly unknown[]) => Promise<unknown>

/** Makes the user where there is none yet. */
export async function createMarkedUser(query: Query): Promise<void> {
  await query(
    `with made as (
       insert into api_users (merchant_id, username, made_by, reads_api)
       values (1, $1, 'canary', true) returning id)
     insert into api_user_passwords (user_id, number, place, hash, made_by)
     select id, 1, 1, $2, 'canary' from made`,
    [MARKED_USER, await cheapHash(PASSWORD)],
  )
}
