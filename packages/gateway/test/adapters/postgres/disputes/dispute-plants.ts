/** One breach of each rule of disputes, in books with a lost case that was answered. */
export const DISPUTE_PLANTS: Readonly<Record<string, string>> = {
  dispute_feeds_are_a_chain: 'update dispute_feeds set last_n = last_n + 1',
  disputes_match_notices: `update disputes set state = 'won' where state = 'lost'`,
  dispute_movements_match_lines:
    'update dispute_movements set taken_minor = taken_minor + 1 where taken_minor > 0',
  dispute_losses_match_money: 'update dispute_postings set amount_minor = amount_minor - 1',
  disputes_open_matches_cases: `
    update settlement_postings set amount_minor = amount_minor + 1
     where kind = 'to_disputes_open'`,
  disputed_orders_match_cases: 'update disputed_orders set disputed_minor = disputed_minor - 1',
  dispute_answers_match_notices: `
    update dispute_answers set state = 'sent', acknowledged_at = null
     where state = 'acknowledged'`,
}
