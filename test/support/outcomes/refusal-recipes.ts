import type { RefusalName } from '../../../packages/gateway/src/http/payment/refusals.ts'
import { ADJUSTMENT_RECIPES } from './adjustment-recipes.ts'
import { FORM_RECIPES } from './form-recipes.ts'
import { MEMBERSHIP_RECIPES } from './membership-recipes.ts'
import { PAYMENT_RECIPES } from './payment-recipes.ts'
import { REFUSALS_ELSEWHERE } from './refusals-elsewhere.ts'
import type { Recipe } from './sweep.ts'

/** A recipe for every refusal; a new refusal without one does not compile. */
export const REFUSAL_RECIPES = {
  ...FORM_RECIPES,
  ...PAYMENT_RECIPES,
  ...MEMBERSHIP_RECIPES,
  ...ADJUSTMENT_RECIPES,
} as const satisfies Readonly<Record<Exclude<RefusalName, keyof typeof REFUSALS_ELSEWHERE>, Recipe>>
