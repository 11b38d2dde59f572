import { findCurrency, formatMinor } from '@tollgate/gateway/books'
import type { BatchAgreementView } from '@tollgate/gateway/operator'

type Figures = BatchAgreementView['totals'][number]['gateway']

/** The agreement of a batch, a line for each side of a brand and for each differing row. */
export function agreementLines(agreement: BatchAgreementView): string[] {
  const { agreedAt, differences, differing, totals } = agreement
  const compared = agreedAt === null ? [] : [`compared with the bank ${agreedAt.toISOString()}`]
  const lines = totals.flatMap(({ bank, brand, currency, gateway }) => [
    `  ${brand} ${currency} here: ${figuresText(gateway, currency)}`,
    `  ${brand} ${currency} bank: ${bank === null ? 'no answer yet' : figuresText(bank, currency)}`,
  ])
  const rows = differences.map((row) => {
    const order = row.orderId === null ? 'no order of this batch' : `order ${row.orderId}`
    const here = sideText(row.gatewayMinor, row.gatewayVoidedMinor, row.currency)
    const bank = sideText(row.bankMinor, row.bankVoidedMinor, row.currency)
    return `  ${row.kind} ${row.messageNumber}, ${order}: here ${here}, bank ${bank}`
  })
  const count = differing === 0 ? [] : [`rows that differ: ${differing}`]
  return [...compared, ...lines, ...count, ...rows]
}

function figuresText({ sales, refunds, voided }: Figures, currency: string): string {
  const text = (name: string, { count, minor }: Figures['sales']): string =>
    `${name} ${count}, ${amountText(minor, currency)}`
  return [text('sales', sales), text('refunds', refunds), text('voided', voided)].join('; ')
}

function sideText(minor: bigint | null, voided: bigint | null, currency: string): string {
  if (minor === null) return 'nothing'
  const part = voided === null || voided === 0n ? '' : ` (${amountText(voided, currency)} voided)`
  return `${amountText(minor, currency)}${part}`
}

/** An amount with its currency; minor units for an unknown currency. */
export function amountText(minor: bigint, code: string): string {
  const currency = findCurrency(code)
  return currency === null ? `${minor} ${code}` : `${formatMinor(minor, currency)} ${code}`
}
