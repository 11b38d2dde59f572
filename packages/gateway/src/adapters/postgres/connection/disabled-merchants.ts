/**
 * SQL: whether an operator has disabled the merchant of this column. The few that are disabled have
 * an index of their own, so a statement over many rows reads them once.
 */
export function isOfDisabled(merchantColumn: string): string {
  return `${merchantColumn} in (select id from merchants where disabled_at is not null)`
}

/**
 * SQL: whether nothing of a row becomes due: its merchant is disabled, or its site is a throwaway
 * site that has ended. Those that still have data have an index of their own.
 *
 * @param row the alias of a table with `merchant_id` and `site_id`
 */
export function isStopped(row: string): string {
  return `(${isOfDisabled(`${row}.merchant_id`)} or ${row}.site_id in (
    select site_id from throwaway_sites where ended_at is not null and removed_at is null))`
}
