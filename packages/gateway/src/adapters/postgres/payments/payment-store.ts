import type pg from 'pg'
import { outcomeEventType } from '../../../domain/events/order-event.ts'
import { cardProductText } from '../../../domain/payments/card-product.ts'
import { reversalCode } from '../../../domain/payments/reversal-reason.ts'
import type {
  NewAdvice,
  PaymentConclusion,
  PaymentIntent,
  PaymentStore,
} from '../../../usecases/payments/payment-store.ts'
import { onConnection, type Database } from '../connection/database.ts'
import { createGroupLane, type GroupLane } from '../connection/group-lane.ts'
import { newMembershipRow } from '../memberships/membership-statements.ts'
import { accountUpdateRow } from './account-updates.ts'
import { intendAlone, isAlone } from './intend-alone.ts'
import { intendOnce } from './intend-once.ts'
import { writeIntents, writeKeyedIntents } from './intent-groups.ts'
import {
  adviceColumns,
  CONCLUDE,
  CONCLUDE_WITH_MORE,
  conclusionColumns,
  conclusionLineColumns,
} from './payment-statements.ts'
import { findClaim } from './reference-claims.ts'
import { createSavedCards } from './saved-cards.ts'

/** Larger groups cost more in waiting than they save in commits. */
const GROUP_SIZE = 64
const LANE_LIMIT = 4_096

/** Keeps payments: intents and conclusions are each written in groups. */
export function createPaymentStore(database: Database): PaymentStore & { idle(): Promise<void> } {
  const intents = intentLane((rows) => writeIntents(intentPool, rows))
  const keyedIntents = intentLane((rows) => writeKeyedIntents(keyedIntentPool, rows))
  const conclusions: GroupLane<PaymentConclusion, { batchId: bigint | null } | null> =
    createGroupLane({
      groupSize: GROUP_SIZE,
      // Never refused: the bank was asked already, and no more can come than intents were let in.
      limit: Infinity,
      write: (rows) => writeConclusions(conclusionPool, rows),
    })
  const alone = { submit: (intent: PaymentIntent) => intendAlone(database.byKey, intent) }
  const laneOf = (intent: PaymentIntent): Pick<typeof intents, 'submit'> => {
    if (isAlone(intent)) return alone
    return intent.key === null ? intents : keyedIntents
  }
  const intentPool = database.lane('intents')
  const keyedIntentPool = database.lane('keyed intents')
  const conclusionPool = database.lane('conclusions')
  database.watchLane('intents', intents.waiting)
  database.watchLane('keyed intents', keyedIntents.waiting)
  database.watchLane('conclusions', conclusions.waiting)
  return {
    intend: (intent) => intendOnce(database.byKey, laneOf(intent), intent),
    conclude: (conclusion) => conclusions.submit(conclusion),
    findClaim: (site, reference) => findClaim(database.byKey, site, reference),
    ...createSavedCards(database.byKey),
    async idle() {
      await Promise.all([intents.idle(), keyedIntents.idle(), conclusions.idle()])
    },
  }
}

function intentLane(
  write: (rows: readonly PaymentIntent[]) => Promise<readonly boolean[]>,
): GroupLane<PaymentIntent, boolean> {
  return createGroupLane({
    groupSize: GROUP_SIZE,
    limit: LANE_LIMIT,
    // One statement may write a reference once.
    keyOf: ({ claim, siteId, mode, reference }) =>
      claim === null ? null : `${siteId} ${mode} ${reference}`,
    write,
  })
}

async function writeConclusions(
  pool: pg.Pool,
  rows: readonly PaymentConclusion[],
): Promise<({ batchId: bigint | null } | null)[]> {
  // Orders are always locked in the sequence of their ids, so two groups never wait for each other.
  const ordered = [...rows].sort((left, right) => (left.orderId < right.orderId ? -1 : 1))
  const lines = ordered.flatMap((row, at) =>
    (row.lineAmounts ?? []).map((line) => ({
      conclusion: at + 1,
      line_id: line.id,
      amount_minor: line.amountMinor,
      captures: row.state === 'approved' && row.kind === 'sale',
    })),
  )
  const advices = ordered.flatMap((row) =>
    row.advice === null ? [] : [adviceRow(row, row.advice, 1, row.advice.message.at)],
  )
  const begun = ordered.flatMap((row, at) =>
    row.memberships.map((membership) => newMembershipRow(at + 1, membership, row.at)),
  )
  const updates = ordered.flatMap((row, at) =>
    row.accountUpdate === null ? [] : [accountUpdateRow(at + 1, row.accountUpdate, row.at)],
  )
  const hasMore = begun.length > 0 || updates.length > 0
  const { rows: concluded } = await onConnection(pool, (client) =>
    client.query<{ n: number; batch_id: string | null }>({
      name: hasMore ? 'conclude with more' : 'conclude',
      text: hasMore ? CONCLUDE_WITH_MORE : CONCLUDE,
      values: [
        ...conclusionColumns.values(ordered.map(conclusionRow)),
        ...conclusionLineColumns.values(lines),
        ...adviceColumns.values(advices),
        ...(hasMore ? [JSON.stringify(begun), JSON.stringify(updates)] : []),
      ],
    }),
  )
  const batches = new Map(concluded.map(({ n, batch_id }) => [ordered[n - 1], batch_id]))
  return rows.map((row) => {
    const batchId = batches.get(row)
    if (batchId === undefined) return null
    return { batchId: batchId === null ? null : BigInt(batchId) }
  })
}

function conclusionRow(
  row: PaymentConclusion,
): Parameters<typeof conclusionColumns.values>[0][number] {
  const approved = row.state === 'approved'
  const { bank } = row
  return {
    transaction_id: row.transactionId,
    order_id: row.orderId,
    merchant_id: row.merchantId,
    merchant_account_id: row.merchantAccountId,
    site_id: row.siteId,
    mode: row.mode,
    moves_money: row.kind !== 'authorization',
    state: row.state,
    order_state: approved ? 'authorized' : row.state,
    value_minor: row.valueMinor,
    authorized_minor: approved && row.kind !== 'refund' ? row.valueMinor : 0n,
    captured_minor: approved && row.kind === 'sale' ? row.valueMinor : 0n,
    refunded_minor: approved && row.kind === 'refund' ? row.valueMinor : 0n,
    expires_at: row.expiresAt,
    service_code: row.serviceCode,
    processor_code: bank.processorCode,
    processor_advice: bank.processorAdvice,
    industry_code: bank.industryCode,
    industry_advice: bank.industryAdvice,
    response_code: bank.responseCode,
    auth_code: bank.authCode,
    network_transaction_id: bank.networkTransactionId,
    avs_code: bank.avsCode,
    cvv_code: bank.cvvCode,
    card_product: cardProductText(bank.cardProduct),
    card_balance_minor: bank.cardBalanceMinor,
    settled_minor: bank.settled?.minor ?? null,
    settled_currency: bank.settled?.currency ?? null,
    settled_rate: bank.settled?.rate ?? null,
    reference: row.claim?.reference ?? '',
    claim_after: row.claim?.after ?? null,
    claim_content: row.claim?.content ?? null,
    advices: row.advice === null ? 0 : 1,
    origin: row.origin,
    event: outcomeEventType(row.kind, row.state),
    at: row.at,
  }
}

/** An advice as its row; `sequence` is its number within the order. */
export function adviceRow(
  of: { readonly merchantId: bigint; readonly orderId: bigint; readonly transactionId: bigint },
  advice: NewAdvice,
  sequence: number,
  at: Date,
): Parameters<typeof adviceColumns.values>[0][number] {
  return {
    id: advice.id,
    merchant_id: of.merchantId,
    order_id: of.orderId,
    transaction_id: of.transactionId,
    sequence,
    kind: advice.kind,
    amount_minor: advice.amountMinor,
    remaining_minor: advice.remainingMinor,
    reason: advice.reason === null ? null : reversalCode(advice.reason),
    original_mti: advice.original.mti,
    original_number: advice.original.number,
    original_at: advice.original.at,
    message_number: advice.message.number,
    message_at: advice.message.at,
    created_at: at,
  }
}
