import type pg from 'pg'
import type { CardTestingPolicy } from '../../../domain/card-testing/card-testing.ts'

/** The site's rules in force; null without rules, or if they are switched off. */
export async function readCardTestingPolicy(
  pool: pg.Pool,
  siteId: bigint,
): Promise<CardTestingPolicy | null> {
  const { rows } = await pool.query<{
    mode: CardTestingPolicy['mode']
    rules: CardTestingPolicy['rules']
    except_addresses: string[]
  }>(
    `select mode, rules, except_addresses from card_testing_policies
      where site_id = $1 and mode <> 'off'`,
    [siteId],
  )
  const [row] = rows
  if (row === undefined) return null
  return { mode: row.mode, rules: row.rules, exceptAddresses: row.except_addresses }
}
