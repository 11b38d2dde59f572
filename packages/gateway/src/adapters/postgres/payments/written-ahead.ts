/**
 * Whether transaction `t` is running, found by the list of open transactions. The list also has
 * some that were concluded since.
 */
export const IS_RUNNING = `(t.state = 'running'
  and t.id = any(array(select transaction_id from open_transactions)))`

/** The batch of transaction `t`. An open one only has the batch that it will probably enter. */
export const ENTERED_BATCH = `case when t.concluded_at is not null then t.batch_id end`

/** Until when order `o` may be captured. Before its approval, the column has what would hold. */
export const EXPIRES_AT = `case when o.state = 'authorized' then o.expires_at end`
