/**
 * The kinds of postings. The table ledger_kinds has the two accounts of each, and
 * docs/internals/ledger.md explains them.
 */
export type PostingKind = 'authorization' | 'release' | 'capture' | 'capture_void' | 'refund'

/**
 * An insert for the statement that changes the sums. `orders` names what has a row for each changed
 * order, with merchant_id, order_id and currency; the rest are expressions over such a row. An
 * amount that is not above zero posts nothing.
 */
export function insertPostings(
  orders: string,
  expressions: {
    readonly transactionId: string
    readonly postedAt: string
    readonly amounts: Readonly<Partial<Record<PostingKind, string>>>
  },
): string {
  const { transactionId, postedAt, amounts } = expressions
  const selects = Object.entries(amounts).map(
    ([
      kind,
      amount,
    ]) => `select merchant_id, order_id, ${transactionId}, '${kind}'::ledger_posting_kind,
         currency, ${amount}, ${postedAt}
    from ${orders} where ${amount} > 0`,
  )
  return `insert into ledger_postings (merchant_id, order_id, transaction_id, kind, currency,
                               amount_minor, posted_at)
  ${selects.join('\n  union all\n  ')}`
}
