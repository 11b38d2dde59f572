import type pg from 'pg'
import type { FileTarget } from '../../../domain/settlement/canonical-header.ts'
import { NO_PREVIOUS } from '../../../domain/settlement/file-chain.ts'

/** Which source and which place in its files an acquirer's own file has. */
export interface TargetRequest {
  /** The acquirer's name of the account, and the currency of the settlement. */
  readonly account: string
  readonly currency: string
  readonly seq: bigint
  /** Null where one source only has that account and currency. */
  readonly sender: string | null
}

/** The targets that fit: one for each sender. */
export async function findTargets(
  pool: pg.Pool,
  { account, currency, sender, seq }: TargetRequest,
): Promise<readonly FileTarget[]> {
  // The file before this one, and not the newest: the same file again must give the same bytes.
  const { rows } = await pool.query<{
    mode: 'test' | 'live'
    sender: string
    receiver: string
    content_sha256: string | null
    closing_minor: string | null
  }>(
    `select a.mode, s.sender, s.receiver, f.content_sha256, f.closing_minor
       from settlement_sources s
       join merchant_accounts a on a.id = s.merchant_account_id
       left join settlement_files f
         on f.source_id = s.id and f.seq = $3 - 1 and f.state = 'booked'
      where s.account = $1 and s.currency = $2 and ($4::text is null or s.sender = $4)
      order by s.sender`,
    [account, currency, seq, sender],
  )
  return rows.map((row) => ({
    mode: row.mode,
    sender: row.sender,
    receiver: row.receiver,
    seq,
    prevSha256: row.content_sha256 ?? NO_PREVIOUS,
    openingMinor: BigInt(row.closing_minor ?? 0),
  }))
}
