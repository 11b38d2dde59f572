import { withCheckDigit } from './check-digit.ts'
import { FAULT_HABITS, HABITS } from './habits.ts'
import type { FaultHabit, Habit } from './habits.ts'

export type SchemeBrand =
  | 'visa'
  | 'mastercard'
  | 'amex'
  | 'discover'
  | 'jcb'
  | 'diners'
  | 'unionpay'
  | 'maestro'

export interface SchemeCard {
  readonly pan: string
  readonly brand: SchemeBrand
  readonly habit: Habit
}

const BRANDS = ['visa', 'mastercard', 'amex', 'discover'] as const

/** The well-known list: Visa, Mastercard, American Express, Discover; `-` where there is none. */
const KNOWN: readonly (readonly [habit: keyof typeof HABITS, pans: string])[] = [
  ['success', '4000000000002701 5200000000002235 340000000002708 6011000000002117'],
  ['failed', '4000000000002925 5200000000002276 340000000002096 6011000000002364'],
  ['attempt', '4000000000002719 5200000000002482 340000000002872 6011000000002646'],
  ['unavailable', '4000000000002313 5200000000002268 340000000002922'],
  ['rejected', '4000000000002537 5200000000002185 340000000002062'],
  ['outside_ranges', '4000000000002990 5200000000002409 340000000002468'],
  ['lookup_error', '4000000000002446 5200000000002037 340000000002732'],
  ['lookup_silent', '4000000000002354 5200000000002326 340000000002047'],
  ['challenge', '4000000000002503 5200000000002151 340000000002534 6011000000002265'],
  ['challenge_fails', '4000000000002370 5200000000002490 340000000002237'],
  ['challenge_unavailable', '4000000000002420 5200000000002664 340000000002484'],
  ['challenge_error', '4000000000002644 5200000000002656 340000000002351'],
  ['data_only', '4000000000002024 5200000000002805'],
  ['informed', '4000000000002818 5200000000002813'],
  ['informed_failure', '4000000000002826 5200000000002821'],
]

/** Cards of ranges that speak 2.1.0 only. */
const OLD: readonly (readonly [habit: 'success' | 'challenge', pans: string])[] = [
  ['success', '4000000000001000 5200000000001005 340000000001007 6011000000001002'],
  ['challenge', '4000000000001091 5200000000001096 340000000001098'],
]

/** Without a range, so these cards never have 3-D Secure. */
export const BYPASSED_PAN = '4000000000002560'

/** Test cards whose bank requires authentication: there has to be a way to it. */
export const INSISTING_PANS = ['4000009000000110', '5200829000000652'] as const

function rowsOf(rows: typeof KNOWN | typeof OLD): SchemeCard[] {
  return rows.flatMap(([habit, pans]) =>
    pans.split(' ').map((pan, index) => ({ pan, habit, brand: BRANDS[index] ?? 'visa' })),
  )
}

/** Number `nn` of the fault cards of a brand. */
export function faultPan(brand: 'visa' | 'mastercard' | 'amex', nn: number): string {
  const front = { visa: '400000000000', mastercard: '520000000000', amex: '34000000000' }[brand]
  return withCheckDigit(`${front}9${String(nn).padStart(2, '0')}`)
}

function faultCards(): SchemeCard[] {
  return FAULT_HABITS.flatMap((habit: FaultHabit, nn) =>
    (['visa', 'mastercard', 'amex'] as const).map((brand) => ({
      pan: faultPan(brand, nn),
      habit,
      brand,
    })),
  )
}

export const KNOWN_CARDS: readonly SchemeCard[] = [
  ...rowsOf(KNOWN),
  { pan: '3338000000000296', habit: 'success', brand: 'jcb' },
  { pan: '3338000000000643', habit: 'attempt', brand: 'jcb' },
  { pan: '36000000000115', habit: 'success', brand: 'diners' },
  { pan: '36000000000123', habit: 'attempt', brand: 'diners' },
  { pan: '6200000000000112', habit: 'success', brand: 'unionpay' },
  { pan: '6200000000000120', habit: 'attempt', brand: 'unionpay' },
  { pan: '6304000000000117', habit: 'success', brand: 'maestro' },
  { pan: '6304000000000125', habit: 'attempt', brand: 'maestro' },
]
export const OLD_CARDS: readonly SchemeCard[] = rowsOf(OLD)
export const FAULT_CARDS: readonly SchemeCard[] = faultCards()
const INSISTING_CARDS: readonly SchemeCard[] = [
  { pan: INSISTING_PANS[0], habit: 'challenge', brand: 'visa' },
  { pan: INSISTING_PANS[1], habit: 'challenge', brand: 'mastercard' },
]

const HABIT_OF = new Map(
  [...KNOWN_CARDS, ...OLD_CARDS, ...FAULT_CARDS, ...INSISTING_CARDS].map(
    ({ habit, pan }) => [pan, habit] as const,
  ),
)

/** The result that a card produces; any other number of the ranges is authenticated. */
export function habitOf(pan: string): Habit {
  return HABIT_OF.get(pan) ?? 'success'
}

/** Whether a card has the ECI of Mastercard: Maestro, whose cards here begin with 6304, has too. */
export function hasMastercardScale(pan: string): boolean {
  return /^(5[1-5]|2[2-7]|6304)/.test(pan)
}

/** ECI of a full authentication and of an attempt, by brand. */
export function eciOf(pan: string, status: 'Y' | 'A'): string {
  if (hasMastercardScale(pan)) return status === 'Y' ? '02' : '01'
  return status === 'Y' ? '05' : '06'
}
