/** One breach of each settlement rule, in books with a sale of 120.00 and a payout. */
export const SETTLEMENT_PLANTS: Readonly<Record<string, string>> = {
  settlement_files_match_lines:
    'update settlement_lines set gross_minor = gross_minor + 1, net_minor = net_minor + 1 where n = 1',
  settlement_files_are_a_chain: `update settlement_files set prev_sha256 = repeat('f', 64)`,
  settlement_lines_match_ledger: `
    update settlement_postings set amount_minor = amount_minor + 1
     where event = 'line' and n = 1 and kind = 'from_acquirer_receivable'`,
  settlement_postings_are_sound: 'update settlement_postings set merchant_id = 2 where n = 1',
  settled_transactions_match_lines: 'update settled_transactions set gross_minor = gross_minor - 1',
  settled_transactions_clear_receivable: 'update transactions set value_minor = value_minor - 1',
  payouts_match_lines: 'delete from settlement_payouts',
  missing_transactions_are_in_no_file: `
    insert into settlement_differences (source_id, merchant_id, code, transaction_id, order_id,
        here_minor, here_currency, since, found_at)
      select f.source_id, x.merchant_id, 'missing_at_bank', x.transaction_id, x.order_id,
             x.gross_minor, x.currency, x.settled_on, now()
        from settled_transactions x join settlement_files f on f.id = x.file_id`,
}
