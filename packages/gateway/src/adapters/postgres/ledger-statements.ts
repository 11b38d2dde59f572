/** The accounts of the ledger; docs/ledger.md says what each one means. */
export type LedgerAccount =
  | 'authorizations'
  | 'authorizations_contra'
  | 'acquirer_receivable'
  | 'merchant_payable'
  | 'merchant_refunds'

/** What a posting is, and the two accounts that follow from it. The table checks the same. */
export const POSTING_KINDS = {
  authorization: { debit: 'authorizations', credit: 'authorizations_contra' },
  release: { debit: 'authorizations_contra', credit: 'authorizations' },
  capture: { debit: 'acquirer_receivable', credit: 'merchant_payable' },
  capture_void: { debit: 'merchant_payable', credit: 'acquirer_receivable' },
  credit: { debit: 'merchant_refunds', credit: 'acquirer_receivable' },
} as const satisfies Readonly<
  Record<string, { readonly debit: LedgerAccount; readonly credit: LedgerAccount }>
>

export type PostingKind = keyof typeof POSTING_KINDS

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
  const selects = (Object.entries(amounts) as [PostingKind, string][]).map(([kind, amount]) => {
    const { debit, credit } = POSTING_KINDS[kind]
    return `select merchant_id, order_id, ${transactionId}, '${kind}', '${debit}', '${credit}',
         currency, ${amount}, ${postedAt}
    from ${orders} where ${amount} > 0`
  })
  return `insert into ledger_postings (merchant_id, order_id, transaction_id, kind, debit, credit,
                               currency, amount_minor, posted_at)
  ${selects.join('\n  union all\n  ')}`
}
