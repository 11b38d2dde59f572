import { lineId } from '../books/settled-amounts.ts'
import type { Decision, MadeFile, WaitingLine } from '../books/settlement-note.ts'
import type { Chain } from '../books/settlements.ts'
import { majorToMinor } from '../issuer/currencies.ts'
import { addDays, nextBankDay } from './bank-days.ts'
import { planOf } from './fee-plans.ts'
import { divide } from './fees.ts'
import { movementLine } from './movement-lines.ts'
import { NO_PLANTS, plantLines } from './plant-lines.ts'
import { netOf } from './settlement-line.ts'
import type { SettlementHead, SettlementLine } from './settlement-line.ts'

const MILLION = 1_000_000n
/** Millionths of the plant `reserve_six_percent`. */
const SIX_PERCENT = 60_000n

/** The effect of a file's lines on the reserve; complete after the last line. */
export interface ReserveEffect {
  held?: NonNullable<MadeFile['held']>
  released: string[]
}

/**
 * The lines of the chain's decided file: movements, lines that waited, the scheme's monthly fee,
 * the reserve, and the payout of the rest. They follow from the books and the decision.
 */
export function* fileLines(
  chain: Chain,
  head: Pick<SettlementHead, 'opening' | 'valueDate' | 'fileId'>,
  effect: ReserveEffect,
): Generator<SettlementLine> {
  const { open } = chain
  if (open === null) return
  const names = new Set(open.plants?.map(({ kind }) => kind))
  let [balance, sales, count] = [head.opening, 0n, chain.filed.length]
  const counted = (line: SettlementLine): SettlementLine => {
    balance += netOf(line)
    if (line.kind === 'sale') sales += line.gross
    return line
  }
  const next = (line: Omit<SettlementLine, 'id'>) => {
    count += 1
    return counted({ id: lineId(chain, open.seq, count), ...line })
  }
  for (const line of plantLines(movements(chain, open), open.plants ?? NO_PLANTS, chain)) {
    yield counted(line)
  }
  for (const line of open.extra) yield next(waitingLine(line))
  if (open.period !== undefined) {
    const times = names.has('monthly_fee_twice') ? 2 : 1
    for (let at = 0; at < times; at += 1) yield next(monthlyFee(chain, open))
  }
  for (const { ref, minor, releaseOn } of chain.held) {
    if (releaseOn > open.businessDate) continue
    effect.released.push(ref)
    yield next({ kind: 'reserve_release', ref, gross: BigInt(minor) })
  }
  const { reserve } = chain
  if (reserve !== null && sales > 0n) {
    const rate = names.has('reserve_six_percent') ? SIX_PERCENT : BigInt(reserve.rateMillionths)
    const minor = divide(sales * rate, MILLION)
    const ref = `RSV-${open.seq}`
    if (minor > 0n) {
      const releaseOn = addDays(open.businessDate, reserve.days)
      effect.held = { ref, minor: String(minor), releaseOn }
      yield next({ kind: 'reserve_hold', ref, gross: -minor })
    }
  }
  if (balance > 0n && !names.has('payout_missing')) yield next(payout(open, head, balance, names))
}

function* movements(chain: Chain, open: Decision): Generator<SettlementLine> {
  const { businessDate, seq } = open
  const terms = { chain, seq, businessDate, plan: planOf(businessDate) }
  // A snapshot does not keep their sequence.
  const sorted = chain.filed.toSorted((left, right) => left.line - right.line)
  for (const movement of sorted) yield movementLine(terms, movement)
}

function waitingLine(line: WaitingLine): Omit<SettlementLine, 'id'> {
  const { fees, gross, orig, until: _until, ...texts } = line
  const dispute = fees?.dispute
  const charged = dispute === undefined ? {} : { fees: { dispute: BigInt(dispute) } }
  return {
    ...texts,
    ...(orig === undefined ? {} : original(orig)),
    gross: BigInt(gross),
    ...charged,
  }
}

function original({ currency, minor, rateMillionths }: NonNullable<WaitingLine['orig']>) {
  return { orig: { minor: BigInt(minor), currency, rateMillionths: BigInt(rateMillionths) } }
}

function monthlyFee({ currency }: Chain, open: Decision): Omit<SettlementLine, 'id'> {
  const scheme = -majorToMinor(planOf(open.businessDate).monthly, currency)
  const period = open.period === undefined ? {} : { period: open.period }
  return { kind: 'fee', fee_code: 'scheme_monthly', ...period, gross: 0n, fees: { scheme } }
}

const SHORT_BY = 150n

function payout(
  { seq }: Decision,
  { fileId, valueDate }: Pick<SettlementHead, 'valueDate' | 'fileId'>,
  balance: bigint,
  names: ReadonlySet<string>,
): Omit<SettlementLine, 'id'> {
  const trace = `TG${fileId.replaceAll('-', '').slice(0, 12).toUpperCase()}${seq}`
  const isShort = names.has('payout_short') && balance > SHORT_BY
  return {
    kind: 'payout',
    payout: `PO-${fileId.slice(0, 8)}-${seq}`,
    trace,
    arrives: nextBankDay(valueDate),
    gross: -(isShort ? balance - SHORT_BY : balance),
  }
}
