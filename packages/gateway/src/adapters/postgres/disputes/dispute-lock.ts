import type pg from 'pg'

/** The first key of the advisory locks of accounts with disputes; the second is the account. */
const ACCOUNT_LOCK = 4_140_046

/**
 * Holds an account until the transaction ends. A notice and a settlement file that come at once
 * would each miss the rows of the other.
 */
export async function holdAccount(client: pg.ClientBase, accountId: bigint): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1, hashint8($2))', [ACCOUNT_LOCK, accountId])
}
