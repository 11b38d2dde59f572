import type pg from 'pg'
import { invariant } from '../../../base/invariant.ts'
import { findCurrency } from '../../../domain/currency.ts'
import { formatMinor } from '../../../domain/money.ts'
import { recordFacts, wholeFact } from '../events/outbox.ts'

interface FileRow {
  readonly id: string
  readonly merchant_id: string
  readonly account_id: string
  readonly mode: 'test' | 'live'
  readonly currency: string
  readonly business_date: string
  readonly value_date: string
  readonly lines: number
  readonly gross_minor: string
  readonly fees_minor: string
  readonly net_minor: string
}

interface PayoutRow {
  readonly id: string
  readonly payout: string | null
  readonly trace: string | null
  readonly gross_minor: string
  readonly refunds_minor: string
  readonly chargebacks_minor: string
  readonly fees_minor: string
  readonly reserve_minor: string
  readonly net_minor: string
  readonly value_date: string
  readonly arrives: string | null
}

/** Records the receipt of a file that is booked now, and the payouts that it announces. */
export async function recordFileFacts(client: pg.ClientBase, fileId: bigint): Promise<void> {
  const { rows: files } = await client.query<FileRow>(
    `select f.id, f.merchant_id, a.id as account_id, a.mode, s.currency, f.business_date::text,
            f.value_date::text, f.lines, f.gross_minor, f.fees_minor, f.net_minor
       from settlement_files f
       join settlement_sources s on s.id = f.source_id
       join merchant_accounts a on a.id = s.merchant_account_id
      where f.id = $1`,
    [fileId],
  )
  const [file] = files
  invariant(file !== undefined, 'a booked file is gone')
  const { rows: payouts } = await client.query<PayoutRow>(
    `select id, payout, trace, gross_minor, refunds_minor, chargebacks_minor, fees_minor,
            reserve_minor, net_minor, value_date::text, arrives::text
       from settlement_payouts where file_id = $1 order by n`,
    [fileId],
  )
  const currency = findCurrency(file.currency)
  invariant(currency !== null, 'a settlement source has an unknown currency')
  const amount = (minor: string): string => formatMinor(BigInt(minor), currency)
  const common = { mode: file.mode, origin: 'BANK' } as const
  const names = {
    settlement_file_id: file.id,
    merchant_account_id: file.account_id,
    currency: currency.code,
  }
  const merchantId = BigInt(file.merchant_id)
  await recordFacts(client, [
    wholeFact('settlement.received', merchantId, BigInt(file.id), {
      ...common,
      data: {
        ...names,
        business_date: file.business_date,
        value_date: file.value_date,
        lines: file.lines,
        gross: amount(file.gross_minor),
        fees: amount(file.fees_minor),
        net: amount(file.net_minor),
      },
    }),
    ...payouts.map((payout) =>
      wholeFact('payout.created', merchantId, BigInt(payout.id), {
        ...common,
        data: {
          ...names,
          payout_id: payout.id,
          reference: payout.payout ?? '',
          trace: payout.trace ?? '',
          gross: amount(payout.gross_minor),
          refunds: amount(payout.refunds_minor),
          chargebacks: amount(payout.chargebacks_minor),
          fees: amount(payout.fees_minor),
          reserve: amount(payout.reserve_minor),
          amount: amount(payout.net_minor),
          value_date: payout.value_date,
          arrives: payout.arrives,
        },
      }),
    ),
  ])
}
