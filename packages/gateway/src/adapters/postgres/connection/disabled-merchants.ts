/**
 * SQL: whether an operator has disabled the merchant of this column. The few that are disabled have
 * an index of their own, so a statement over many rows reads them once.
 */
export function isOfDisabled(merchantColumn: string): string {
  return `${merchantColumn} in (select id from merchants where disabled_at is not null)`
}
