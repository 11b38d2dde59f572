import { createHash } from 'node:crypto'
import type { Members } from './settling.ts'

/** The file before, as its reader remembers it. */
export interface Known {
  readonly account: string
  readonly mode: string
  readonly closing: string
  readonly sha256: string
  readonly seqs: ReadonlyMap<number, string>
  readonly ids: ReadonlySet<string>
}

/**
 * The codes of the reasons to refuse a file of a currency with two decimals. It reads the format
 * without code of the writer.
 */
export function refusals(text: string, known: Known): string[] {
  const found = new Set<string>()
  const lines = text.split('\n')
  if (lines.pop() !== '') found.add('S02')
  const records: Members[] = []
  for (const line of lines) {
    try {
      records.push(JSON.parse(line) as Members)
    } catch {
      found.add('S01')
    }
  }
  const [head, trailer] = [records[0], records.at(-1)]
  if (head?.['r'] !== 'H' || trailer?.['r'] !== 'T') return [...found.add('S02')].toSorted()
  const body = records.slice(1, -1)
  let [gross, fees] = [0, 0]
  for (const [at, line] of body.entries()) {
    if (line['n'] !== at + 1) found.add('S03')
    const parts = Object.values((line['fees'] ?? {}) as Record<string, string>)
    const amounts = [line['gross'], line['net'], ...parts].map(String)
    if (amounts.some((amount) => !/^-?\d+\.\d\d$/.test(amount))) found.add('S09')
    const charged = parts.reduce((sum, fee) => sum + cents(fee), 0)
    if (cents(line['gross']) + charged !== cents(line['net'])) found.add('S07')
    const isSale = line['kind'] === 'sale'
    if ((isSale || line['kind'] === 'refund') && cents(line['gross']) > 0 !== isSale)
      found.add('S08')
    if (known.ids.has(String(line['id']))) found.add('S15')
    gross += cents(line['gross'])
    fees += charged
  }
  if (trailer['lines'] !== body.length) found.add('S04')
  const closing = cents(head['opening']) + gross + fees
  if (cents(trailer['gross']) !== gross || cents(trailer['closing']) !== closing) found.add('S05')
  const sha256 = createHash('sha256')
    .update(`${lines.slice(0, -1).join('\n')}\n`)
    .digest('hex')
  if (trailer['sha256'] !== sha256) found.add('S06')
  if (head['account'] !== known.account || head['mode'] !== known.mode) found.add('S10')
  const taken = known.seqs.get(Number(head['seq']))
  if (taken !== undefined && taken !== text) return ['S11']
  if (head['seq'] !== known.seqs.size + 1) found.add('S12')
  if (head['prev_sha256'] !== known.sha256) found.add('S13')
  if (head['opening'] !== known.closing) found.add('S14')
  return [...found].toSorted()
}

function cents(amount: unknown): number {
  return Math.round(Number(amount) * 100)
}
