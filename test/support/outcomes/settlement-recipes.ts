import { readFeed } from '../events.ts'
import { untilSeen } from '../eventually.ts'
import type { Answer, Fields, Form } from './answer.ts'
import { GROUPS } from './groups.ts'
import { SETTLEMENT_EVENTS } from './life-groups.ts'
import { readRows } from './status-rows.ts'
import { approvedSale, operate } from './steps.ts'
import type { Sweep } from './sweep.ts'

/** Unreferenced credits: approved, declined and without an answer. */
async function sendCredits({ pay, see }: Sweep): Promise<void> {
  const credit = (more: Form): Promise<Answer> =>
    pay({ REQUEST_ACTION: 'CCCREDIT', FORCE_CREDIT: '1', SITE_ID: '1003', ...more })
  await credit({})
  const { fields } = await credit({ SANDBOX_TEST: 'refund=refused' })
  if (fields['TRANS_STATUS_NAME'] === 'DECLINED') see('bankFaults', 'refund=refused')
  await credit({ SANDBOX_TEST: 'answer=lost' })
}

/** Captures and refunds that a settlement file pays or rejects, and the payout of it. */
export async function settleEverything(sweep: Sweep): Promise<void> {
  await sendCredits(sweep)
  const refund = async ({ PO_ID = '' }: Fields): Promise<Fields> => {
    const about = { REQUEST_REF_PO_ID: PO_ID, LI_VALUE_1: '5.00' }
    return (await sweep.send({ REQUEST_ACTION: 'CCCREDIT', ...about })).fields
  }
  const [paid, marked] = await Promise.all([approvedSale(sweep), approvedSale(sweep)])
  const refunded = await refund(paid)
  await operate(sweep, 'reject', { transaction: marked['TRANS_ID'] })
  await operate(sweep, 'reject', { transaction: refunded['TRANS_ID'] })
  await operate(sweep, 'settle')
  await readRows(sweep, { REQUEST_REF_PO_ID: paid['PO_ID'] ?? '' })
}

/** Reads the events about money from the feed, until it has those that this sweep has caused. */
export async function readSettlementEvents({ gateway, see, seen }: Sweep): Promise<void> {
  const elsewhere: ReadonlySet<string> = new Set(Object.keys(GROUPS.settlement.elsewhere))
  const awaited = SETTLEMENT_EVENTS.filter((type) => !elsewhere.has(type))
  let after: string | null = null
  await untilSeen(
    'the feed has the events of captures, refunds, batches and payouts',
    async () => {
      const from: Readonly<Record<string, string>> = after === null ? {} : { after }
      const { cursor, events } = await readFeed(gateway, {
        types: SETTLEMENT_EVENTS.join(','),
        limit: '1000',
        ...from,
      })
      after = cursor
      for (const { type } of events) see('settlement', type)
      return awaited.filter((type) => !seen('settlement').has(type))
    },
    (missing) => missing.length === 0,
  )
}
