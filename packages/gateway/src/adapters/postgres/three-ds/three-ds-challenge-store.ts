import type pg from 'pg'
import type { ChallengeWindow, MessageVersion } from '../../../domain/three-ds/trans-status.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { Challenge, ChallengeStore } from '../../../usecases/three-ds/challenge-store.ts'

interface ChallengeRow {
  readonly server_trans_id: string
  readonly acs_trans_id: string
  readonly acs_url: string
  readonly message_version: MessageVersion
  readonly challenge_window: ChallengeWindow
  readonly site_id: string
  readonly mode: Mode
  readonly merchant_account_id: string
  readonly reference: string
  readonly proc_trans_id: string
  readonly return_url: string
  readonly merchant_data: string
  readonly is_open: boolean
  readonly page_handle: string | null
  readonly session_handle: string | null
  readonly creq_sent_at: Date | null
  readonly returned_at: Date | null
  readonly result_at: Date | null
  readonly expires_at: Date
}

const COLUMNS = `server_trans_id, acs_trans_id, acs_url, message_version, challenge_window, site_id, mode,
  merchant_account_id, reference, proc_trans_id, return_url, merchant_data,
  state in ('challenge', 'result') as is_open, page_handle, session_handle, creq_sent_at, returned_at,
  result_at, expires_at`

/** An authentication without a challenge has no page. */
const FIND = (column: string): string =>
  `select ${COLUMNS} from three_ds_authentications where ${column} = $1 and acs_url is not null`

const START = `
with started as (
  update three_ds_authentications
     set creq_sent_at = $5, page_handle = $2, session_handle = $3, merchant_data = $4
   where step_up_token_id = $1 and state = 'challenge' and creq_sent_at is null
  returning ${COLUMNS}
), journalled as (
  insert into three_ds_messages (at, server_trans_id, direction, type, content)
  select $5, server_trans_id, 'out', 'CReq', $6::json from started
)
select * from started`

const KEEP_RETURN = `
with kept as (
  update three_ds_authentications set returned_at = $4, cres_status = $2
   where session_handle = $1 and returned_at is null and state in ('challenge', 'result')
  returning server_trans_id
)
insert into three_ds_messages (at, server_trans_id, direction, type, content)
select $4, server_trans_id, 'in', 'CRes', coalesce($3::json, '{}') from kept`

export function createChallengeStore(pool: pg.Pool): ChallengeStore {
  async function findBy(column: string, value: string): Promise<Challenge | null> {
    const { rows } = await pool.query<ChallengeRow>({
      name: `find challenge by ${column}`,
      text: FIND(column),
      values: [value],
    })
    return rows[0] === undefined ? null : challenge(rows[0])
  }

  return {
    find: (tokenId) => findBy('step_up_token_id', tokenId),
    findByPage: (handle) => findBy('page_handle', handle),
    findBySession: (handle) => findBy('session_handle', handle),

    async start(tokenId, { at, merchantData, pageHandle, request, sessionHandle }) {
      const { rows } = await pool.query<ChallengeRow>({
        name: 'start challenge',
        text: START,
        values: [tokenId, pageHandle, sessionHandle, merchantData, at, request],
      })
      return rows[0] === undefined ? null : challenge(rows[0])
    },

    async keepReturn(sessionHandle, brought, message, at) {
      await pool.query({
        name: 'keep return from challenge',
        text: KEEP_RETURN,
        values: [sessionHandle, brought, message, at],
      })
    },
  }
}

function challenge(row: ChallengeRow): Challenge {
  return {
    serverTransId: row.server_trans_id,
    acsTransId: row.acs_trans_id,
    acsUrl: row.acs_url,
    version: row.message_version,
    window: row.challenge_window,
    siteId: BigInt(row.site_id),
    mode: row.mode,
    merchantAccountId: BigInt(row.merchant_account_id),
    reference: row.reference,
    procTransId: row.proc_trans_id,
    returnUrl: row.return_url,
    merchantData: row.merchant_data,
    state: row.is_open ? 'open' : 'over',
    pageHandle: row.page_handle ?? '',
    sessionHandle: row.session_handle ?? '',
    startedAt: row.creq_sent_at,
    returnedAt: row.returned_at,
    resultAt: row.result_at,
    expiresAt: row.expires_at,
  }
}
