import type { DisputeCase } from '../books/dispute-note.ts'
import { settledMinor } from '../books/disputes.ts'
import { rateOf, settledIn } from '../books/settled-amounts.ts'
import type { WaitingLine } from '../books/settlement-note.ts'
import { majorToMinor } from '../issuer/currencies.ts'
import { planOf } from '../settlement/fee-plans.ts'
import { shortKey } from '../settlement/movement-lines.ts'

/** The place of a case's money: with the cardholder, or with the merchant. */
export type MoneyPlace = 'taken' | 'returned'

/**
 * A case with its money in a place, and the lines that bring it there: none where it is there
 * already. `isFirst` says that the lines open the chargeback, which has a fee. The day is
 * `YYYY-MM-DD`.
 */
export function withMoney(
  disputed: DisputeCase,
  place: MoneyPlace,
  day: string,
  isFirst: boolean,
): { readonly disputed: DisputeCase; readonly lines: readonly WaitingLine[] } {
  const target = place === 'taken' ? -settledMinor(disputed) : 0n
  const gross = target - BigInt(disputed.moved)
  if (gross === 0n) return { disputed, lines: [] }
  const taking = isFirst ? 'chargeback' : 'chargeback_again'
  const kind = gross > 0n ? 'dispute_reversal' : taking
  const keys = keysOf(disputed)
  const { reason } = disputed
  const line: WaitingLine = { kind, ...keys, reason, ...origOf(disputed), gross: String(gross) }
  return {
    disputed: { ...disputed, moved: String(target) },
    lines: isFirst ? [line, feeLine(disputed, keys, day)] : [line],
  }
}

type Keys = Pick<WaitingLine, 'case' | 'order' | 'ref' | 'rrn'>

function keysOf({ capture, id, order, rrn }: DisputeCase): Keys {
  const given = rrn === '' ? {} : { rrn }
  return { case: id, order: shortKey(order), ref: shortKey(capture), ...given }
}

function feeLine({ conversion, currency }: DisputeCase, keys: Keys, day: string): WaitingLine {
  const fee = majorToMinor(planOf(day).dispute, settledIn(conversion, currency))
  return { kind: 'dispute_fee', ...keys, gross: '0', fees: { dispute: String(-fee) } }
}

/** The amount before conversion, where the order is converted. */
function origOf({ conversion, currency, minor }: DisputeCase): Pick<WaitingLine, 'orig'> {
  const rate = rateOf(conversion)
  return rate === null ? {} : { orig: { minor, currency, rateMillionths: String(rate) } }
}
