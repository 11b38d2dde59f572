import { createHash } from 'node:crypto'
import type { Plant } from '../books/settlement-note.ts'
import { amountText } from './settlement-text.ts'

/** A line of a file as its JSON has it. */
type Members = Record<string, unknown>
type Fees = Record<string, string>

/** A change of one line, of the head, or of what the trailer states. */
interface Damage {
  readonly head?: (head: Members, currency: string) => void
  /** Null drops the line. */
  readonly line?: (line: Members) => Members | null
  readonly trailer?: (trailer: Members, dropped: Members | null, currency: string) => void
  /** Whether lines get new numbers and the trailer a new hash, so that only the damage shows. */
  readonly isMadeGood: boolean
}

const CUT_BYTES = 100

const DAMAGES: Readonly<Record<string, Damage>> = {
  changed_digit: { line: withOtherDigit, isMadeGood: false },
  line_removed: { line: () => null, isMadeGood: false },
  line_removed_recounted: { line: () => null, trailer: recount, isMadeGood: true },
  line_removed_resummed: {
    line: () => null,
    trailer: (trailer, dropped, currency) => {
      recount(trailer, dropped)
      resum(trailer, dropped, currency)
    },
    isMadeGood: true,
  },
  wrong_account: { head: (head) => void (head['account'] = 'OTHER-ACCOUNT'), isMadeGood: true },
  wrong_mode: { head: (head) => void (head['mode'] = 'live'), isMadeGood: true },
  same_seq: {
    head: (head) => void (head['file_id'] = '00000000-0000-4000-8000-000000000000'),
    isMadeGood: true,
  },
  opening_wrong: {
    head: (head, currency) => void (head['opening'] = plus(head['opening'], 100n, currency)),
    trailer: (trailer, _dropped, currency) =>
      void (trailer['closing'] = plus(trailer['closing'], 100n, currency)),
    isMadeGood: true,
  },
  fee_sign: { line: withOtherFeeSign, isMadeGood: true },
  decimals: { line: withMoreDecimals, isMadeGood: true },
}

/** The kinds of plants that damage the text of a finished file. */
export const TEXT_PLANTS: ReadonlySet<string> = new Set([...Object.keys(DAMAGES), 'cut_off'])

/**
 * The text of a sound file with its damage, from its lines without line feeds. `nth` of the plant
 * is the number of the line. The currency is ISO 4217 numeric.
 */
export async function* damagedText(
  lines: AsyncIterable<string>,
  plant: Pick<Plant, 'kind' | 'nth'>,
  currency: string,
): AsyncGenerator<string> {
  if (plant.kind === 'cut_off') return yield* cutOff(lines)
  const damage = DAMAGES[plant.kind]
  if (damage === undefined) throw new RangeError(`${plant.kind} is no damage of a file.`)
  const digest = createHash('sha256')
  let [n, dropped]: [number, Members | null] = [0, null]
  for await (const text of lines) {
    let members: Members | null = JSON.parse(text) as Members
    if (members['r'] === 'H') damage.head?.(members, currency)
    else if (members['r'] === 'L') {
      if (members['n'] === plant.nth && damage.line !== undefined) {
        const before = members
        members = damage.line(members)
        if (members === null) dropped = before
      }
      if (members === null) continue
      n += 1
      if (damage.isMadeGood) members['n'] = n
    } else {
      damage.trailer?.(members, dropped, currency)
      if (damage.isMadeGood) members['sha256'] = digest.digest('hex')
    }
    const line = `${JSON.stringify(members)}\n`
    if (members['r'] !== 'T') digest.update(line)
    yield line
  }
}

async function* cutOff(lines: AsyncIterable<string>): AsyncGenerator<string> {
  let kept = ''
  for await (const line of lines) {
    kept += `${line}\n`
    yield kept.slice(0, -CUT_BYTES)
    kept = kept.slice(-CUT_BYTES)
  }
}

/** The last digit of `gross` goes up by one, and nine becomes zero. */
function withOtherDigit(line: Members): Members {
  const gross = String(line['gross'])
  return { ...line, gross: gross.slice(0, -1) + ((Number(gross.at(-1)) + 1) % 10) }
}

function withOtherFeeSign(line: Members): Members {
  const fees = line['fees'] as Fees | undefined
  const [first] = Object.entries(fees ?? {})
  if (first === undefined) return line
  const [name, amount] = first
  return {
    ...line,
    fees: { ...fees, [name]: amount.startsWith('-') ? amount.slice(1) : `-${amount}` },
  }
}

function withMoreDecimals(line: Members): Members {
  const gross = String(line['gross'])
  return { ...line, gross: gross.includes('.') ? `${gross}5` : `${gross}.00` }
}

type Kinds = Record<string, [count: number, sum: string]>

function recount(trailer: Members, dropped: Members | null): void {
  if (dropped === null) return
  trailer['lines'] = Number(trailer['lines']) - 1
  const kind = (trailer['by_kind'] as Kinds)[String(dropped['kind'])]
  if (kind !== undefined) kind[0] -= 1
}

function resum(trailer: Members, dropped: Members | null, currency: string): void {
  if (dropped === null) return
  const [gross, net] = [minorOf(dropped['gross']), minorOf(dropped['net'])]
  const kinds = trailer['by_kind'] as Kinds
  const kind = kinds[String(dropped['kind'])]
  if (kind !== undefined) kind[1] = plus(kind[1], -net, currency)
  if (kind?.[0] === 0) delete kinds[String(dropped['kind'])]
  trailer['gross'] = plus(trailer['gross'], -gross, currency)
  trailer['fees'] = plus(trailer['fees'], gross - net, currency)
  trailer['net'] = plus(trailer['net'], -net, currency)
  trailer['closing'] = plus(trailer['closing'], -net, currency)
}

function minorOf(amount: unknown): bigint {
  return BigInt(String(amount).replace('.', ''))
}

function plus(amount: unknown, minor: bigint, currency: string): string {
  return amountText(minorOf(amount) + minor, currency)
}
