/**
 * One breach of each rule of deposits. The books have two statements with a deposit, an entry of
 * other business, and an entry without a payout.
 */
export const DEPOSIT_PLANTS: Readonly<Record<string, string>> = {
  bank_statements_add_up: `
    update bank_entries set amount_minor = amount_minor + 1 where state = 'other'`,
  bank_statements_are_a_chain: `
    update bank_statements set opening_minor = opening_minor + 1
     where id = (select max(id) from bank_statements)`,
  bank_entries_match_ledger: `
    update bank_entries set state = 'other', texts = '{}', sources = '{}' where state = 'unknown'`,
  deposits_match_ledger: 'update payout_deposits set cleared_minor = cleared_minor - 1',
  payouts_match_deposits: `update settlement_payouts set state = 'announced'`,
  deposits_in_suspense_have_a_difference: `
    update settlement_differences set bank_minor = bank_minor + 1 where code = 'payout_unknown'`,
}
