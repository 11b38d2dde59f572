/** A line of a settlement file. Amounts are minor units, as the file has them. */
export interface FileLine {
  readonly kind: string
  /** The key of the order's authorization; '' for none. */
  readonly order: string
  readonly gross: bigint
  readonly fees: Readonly<Record<string, bigint>>
  readonly net: bigint
  /** Of a payout: the trace id; else ''. */
  readonly trace: string
  /** Of a dispute: the acquirer's case; else ''. */
  readonly case: string
}

/** A settlement file, read by this model and not by the gateway. */
export interface SettledFile {
  readonly account: string
  readonly seq: number
  readonly opening: bigint
  readonly closing: bigint
  readonly lines: readonly FileLine[]
}

/** Reads the text of a settlement file in a currency with two decimals. */
export function readSettledFile(text: string): SettledFile {
  const records = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  const [head = {}] = records
  const lines = records.slice(1, -1).map((line): FileLine => {
    const fees = Object.entries((line['fees'] ?? {}) as Readonly<Record<string, string>>)
    return {
      kind: String(line['kind']),
      order: String(line['order'] ?? ''),
      gross: minorOf(line['gross']),
      fees: Object.fromEntries(fees.map(([name, amount]) => [name, minorOf(amount)])),
      net: minorOf(line['net']),
      trace: String(line['trace'] ?? ''),
      case: String(line['case'] ?? ''),
    }
  })
  return {
    account: String(head['account']),
    seq: Number(head['seq']),
    opening: minorOf(head['opening']),
    closing: minorOf(records.at(-1)?.['closing']),
    lines,
  }
}

function minorOf(text: unknown): bigint {
  return BigInt(String(text).replace('.', ''))
}
