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
}
