import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Sha256 } from '../../../src/domain/settlement/file-reader.ts'

const GOLDEN = new URL('./fixtures/TGS-bank-demo-MA-1042-EUR-000417.jsonl', import.meta.url)

/** The published example of the format: a header, thirteen lines and a trailer. */
export function goldenText(): string {
  return readFileSync(GOLDEN, 'utf8')
}

export function sha256(): Sha256 {
  const hash = createHash('sha256')
  return { update: (bytes) => void hash.update(bytes), hex: () => hash.digest('hex') }
}

/** A record of a file, as it stands there. */
export type FileRecord = Record<string, unknown>

const HEADER: FileRecord = {
  r: 'H',
  format: 'tollgate-settlement',
  v: 1,
  file_id: '0192f0c4-7b1e-7c55-9a10-3f6f6d1c0417',
  mode: 'test',
  sender: 'bank-demo',
  receiver: 'gw-01',
  account: 'MA-1042',
  currency: 'EUR',
  seq: 1,
  prev_sha256: '0'.repeat(64),
  business_date: '2026-11-19',
  zone: 'Europe/Berlin',
  created: '2026-11-20T03:00:04Z',
  value_date: '2026-11-20',
  opening: '0.00',
}

const cents = (text: unknown): bigint => BigInt(String(text).replace('.', ''))

function amount(minor: bigint, decimals: number): string {
  if (decimals === 0) return `${minor}`
  const digits = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, '0')
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/**
 * The text of a file with these lines, its numbers, sums and hash made good. `net` is made of gross
 * and fees where a line has none.
 */
export function fileText(
  lines: readonly FileRecord[],
  header: FileRecord = {},
  trailer: FileRecord = {},
): string {
  const head: FileRecord = { ...HEADER, ...header }
  const decimals = head['currency'] === 'JPY' ? 0 : 2
  const sums = { gross: 0n, fees: 0n, net: 0n }
  const byKind: Record<string, [number, string]> = {}
  const records = lines.map((line, at) => {
    const fees = Object.values((line['fees'] ?? {}) as FileRecord).map(cents)
    const charged = fees.reduce((sum, fee) => sum + fee, 0n)
    const net = line['net'] === undefined ? cents(line['gross']) + charged : cents(line['net'])
    sums.gross += cents(line['gross'])
    sums.fees += charged
    sums.net += net
    const [count, sum] = byKind[String(line['kind'])] ?? [0, '0']
    byKind[String(line['kind'])] = [count + 1, amount(cents(sum) + net, decimals)]
    return {
      r: 'L',
      n: at + 1,
      id: `${head['seq']}-${at + 1}`,
      net: amount(net, decimals),
      ...line,
    }
  })
  const before = [head, ...records].map((record) => `${JSON.stringify(record)}\n`).join('')
  const end = {
    r: 'T',
    lines: lines.length,
    by_kind: byKind,
    gross: amount(sums.gross, decimals),
    fees: amount(sums.fees, decimals),
    net: amount(sums.net, decimals),
    closing: amount(cents(head['opening']) + sums.net, decimals),
    sha256: createHash('sha256').update(before).digest('hex'),
    ...trailer,
  }
  return `${before}${JSON.stringify(end)}\n`
}

/** The trailer's hash of a file, which the next one names. */
export function contentHash(text: string): string {
  const [, hash = ''] = /"sha256":"([0-9a-f]{64})"\}\n$/.exec(text) ?? []
  return hash
}
