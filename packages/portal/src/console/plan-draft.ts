import type { ConsoleFees, DecimalAmounts } from '@tollgate/portal-contract/answers/console-fees'

/** A rate as it is typed. */
export interface RateDraft {
  /** Distinguishes rows. */
  readonly key: number
  readonly kind: 'sale' | 'refund'
  /** Empty: every brand without a rate of its own. */
  readonly brand: string
  readonly percent: string
  /** By currency; an empty text is left out. */
  readonly fixed: DecimalAmounts
}

/** A plan as it is typed. */
export interface PlanDraft {
  readonly startsOn: string
  readonly rates: readonly RateDraft[]
  readonly monthly: DecimalAmounts
}

/** The prices of the latest plan, from tomorrow on; of none, a rate of sales. */
export function firstDraft({ plans, today }: Pick<ConsoleFees, 'plans' | 'today'>): PlanDraft {
  const [latest] = plans
  return {
    startsOn: dayAfter(today),
    rates:
      latest === undefined
        ? [newRate(0)]
        : latest.rates.map(({ kind, brand, percent, fixed }, key) => {
            return { key, kind, brand: brand ?? '', percent, fixed }
          }),
    monthly: latest?.monthly ?? {},
  }
}

export function newRate(key: number): RateDraft {
  return { key, kind: 'sale', brand: '', percent: '0', fixed: {} }
}

/** The file of a plan, as `tollgate fees put` reads it. */
export function planFile(merchantId: string, { startsOn, rates, monthly }: PlanDraft): string {
  const plan = {
    merchantId: Number(merchantId),
    startsOn,
    rates: rates.map(({ kind, brand, percent, fixed }) => ({
      kind,
      ...(brand === '' ? {} : { brand }),
      percent: percent.trim() === '' ? '0' : percent.trim(),
      ...stated('fixed', fixed),
    })),
    ...stated('monthly', monthly),
  }
  return JSON.stringify(plan, null, 2)
}

/** The brand of a rate; one without is for the brands that no other rate names. */
export function brandText(
  { brand, kind }: { readonly brand: string | null; readonly kind: string },
  rates: readonly { readonly brand: string | null; readonly kind: string }[],
): string {
  if (brand !== null) return brand
  const isOnly = rates.every((rate) => rate.kind !== kind || rate.brand === null)
  return isOnly ? 'All brands' : 'All other brands'
}

function stated(name: 'fixed' | 'monthly', amounts: DecimalAmounts): object {
  const typed = Object.entries(amounts)
    .map(([currency, text]) => [currency, text.trim()] as const)
    .filter(([, text]) => text !== '')
  return typed.length === 0 ? {} : { [name]: Object.fromEntries(typed) }
}

function dayAfter(day: string): string {
  const next = new Date(`${day}T00:00:00Z`)
  next.setUTCDate(next.getUTCDate() + 1)
  return next.toISOString().slice(0, 10)
}
