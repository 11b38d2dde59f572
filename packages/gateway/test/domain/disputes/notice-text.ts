import { createHash } from 'node:crypto'

export type NoticeRecord = Readonly<Record<string, unknown>>

const HEADER: NoticeRecord = {
  r: 'H',
  format: 'tollgate-disputes',
  v: 1,
  mode: 'test',
  sender: 'bank-demo',
  receiver: 'gw-01',
  account: 'MA-1042',
}

const NOTICE: NoticeRecord = {
  r: 'N',
  at: '2026-11-20T09:00:00Z',
  case: 'C-1',
  event: 'chargeback',
  brand: 'visa',
  amount: '120.00',
  currency: 'EUR',
  reason: '10.4',
}

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')

/** A notice as it stands in a file, its id made of its number. */
export function noticeRecord(record: NoticeRecord): NoticeRecord {
  return { ...NOTICE, id: `N-${String(record['n'])}`, ...record }
}

/** The text of a file with these notices, its count and hash made good. */
export function noticeFileText(
  records: readonly NoticeRecord[],
  header: NoticeRecord = {},
  trailer: NoticeRecord = {},
): string {
  const before = [{ ...HEADER, ...header }, ...records.map(noticeRecord)]
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('')
  const end = { r: 'T', notices: records.length, sha256: hashOf(before), ...trailer }
  return `${before}${JSON.stringify(end)}\n`
}
