import { newReference } from '../payments.ts'
import type { Answer } from './answer.ts'
import { approvedSale, newProduct } from './steps.ts'
import type { Recipe, Sweep } from './sweep.ts'

const UNKNOWN = '4999999'

async function begun(sweep: Sweep, type: '1' | '2' = '2'): Promise<string> {
  const { MBSHP_ID_1 = '' } = await approvedSale(sweep, newProduct(type))
  return MBSHP_ID_1
}

function cancel({ send }: Sweep, id: string, type = '2'): Promise<Answer> {
  const about = { REQUEST_REF_MBSHP_ID: id, SUB_CANCEL_TYPE: type }
  return send({ REQUEST_ACTION: 'SUB_CANCEL', ...about })
}

function subscription(type: string): Readonly<Record<string, string>> {
  return { TRANS_REBILL_TYPE: type, MBSHP_ID_XTL: newReference(), PMT_KEY: '123' }
}

/** Refusals about memberships and subscriptions. */
export const MEMBERSHIP_RECIPES = {
  async membership_reference_used(sweep) {
    const first = subscription('INITIAL')
    await approvedSale(sweep, first)
    return sweep.pay(first)
  },
  membership_reference_unknown: ({ pay }) => pay({ ...subscription('REBILL'), PMT_KEY: null }),
  async membership_exists(sweep) {
    const product = newProduct()
    const { CUST_ID = '' } = await approvedSale(sweep, product)
    return sweep.pay({ ...product, CUST_ID })
  },
  async membership_product_invalid(sweep) {
    const id = await begun(sweep)
    const change = { REQUEST_REF_MBSHP_ID: id, SUB_UPDATE_PROD_ID: 'unknown' }
    return sweep.send({ REQUEST_ACTION: 'SUB_UPDATE', ...change })
  },
  async membership_over(sweep) {
    const id = await begun(sweep)
    await cancel(sweep, id, '1')
    return cancel(sweep, id)
  },
  membership_not_found: (sweep) => cancel(sweep, UNKNOWN),
  membership_not_renewing: async (sweep) => cancel(sweep, await begun(sweep, '1')),
} as const satisfies Readonly<Record<string, Recipe>>
