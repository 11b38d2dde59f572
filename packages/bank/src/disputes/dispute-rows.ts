import type { Movement } from '../books/order.ts'
import type { AccountIds } from '../issuer/account-ids.ts'
import type { DisputeOf } from '../settlement/decide-file.ts'
import { findDisputeAmount } from '../test-data/dispute-amounts.ts'
import { TEST_CARDS } from '../test-data/test-cards.ts'

/** Finds the row by which a capture is disputed: that of its amount, else that of its test card. */
export function openDisputeRows(accountIds: Pick<AccountIds, 'idOf'>): DisputeOf {
  const cards = new Map(
    TEST_CARDS.flatMap(({ disputedAs, pan }) =>
      disputedAs === undefined ? [] : [[accountIds.idOf(pan), disputedAs]],
    ),
  )
  return ({ amount, balance }: Movement) =>
    findDisputeAmount(amount, balance.currency)?.amount ?? cards.get(balance.account) ?? null
}

/** For a bank without trigger amounts: it disputes nothing by itself. */
export const NO_DISPUTES: DisputeOf = () => null
