import { newReference } from '../payments.ts'
import type { Answer, Fields, Form } from './answer.ts'
import { approvedAuthorization, approvedSale, operate } from './steps.ts'
import type { Recipe, Sweep } from './sweep.ts'

function adjust(
  { send }: Sweep,
  action: string,
  { PO_ID = '' }: Fields,
  more: Form = {},
): Promise<Answer> {
  return send({ REQUEST_ACTION: action, REQUEST_REF_PO_ID: PO_ID, ...more })
}

const UNKNOWN: Fields = { PO_ID: '1' }

/** Refusals of captures, voids and refunds. */
export const ADJUSTMENT_RECIPES = {
  async order_ambiguous(sweep) {
    const reference = { XTL_ORDER_ID: newReference() }
    await approvedSale(sweep, reference)
    await approvedSale(sweep, reference)
    const about = { REQUEST_REF_PO_ID_XTL: reference.XTL_ORDER_ID }
    return sweep.send({ REQUEST_ACTION: 'CCREVERSE', ...about })
  },
  async currency_mismatch(sweep) {
    const order = await approvedAuthorization(sweep)
    const amount = { LI_VALUE_1: '1.00', REQUEST_CURRENCY: 'EUR' }
    return adjust(sweep, 'CCCAPTURE', order, amount)
  },
  async line_mismatch(sweep) {
    const order = await approvedAuthorization(sweep)
    const line = { LI_VALUE_1: '1.00', REQUEST_REF_PO_LI_ID: '1' }
    return adjust(sweep, 'CCCAPTURE', order, line)
  },
  order_not_found: (sweep) => adjust(sweep, 'CCCAPTURE', UNKNOWN, { LI_VALUE_1: '1.00' }),
  async order_not_adjustable(sweep) {
    const { fields } = await sweep.pay({ SANDBOX_TEST: 'de39=05' })
    return adjust(sweep, 'CCCAPTURE', fields, { LI_VALUE_1: '1.00' })
  },
  async charged_back(sweep) {
    const order = await approvedSale(sweep)
    await operate(sweep, 'dispute', { order: order['PO_ID'] })
    return adjust(sweep, 'CCCREDIT', order, { LI_VALUE_1: '1.00' })
  },
  async already_reversed(sweep) {
    const order = await approvedSale(sweep)
    await adjust(sweep, 'CCREVERSE', order)
    return adjust(sweep, 'CCREVERSE', order)
  },
  async amount_not_positive(sweep) {
    return adjust(sweep, 'CCCAPTURE', await approvedAuthorization(sweep), { LI_VALUE_1: '0.00' })
  },
  async amount_invalid(sweep) {
    return adjust(sweep, 'CCREVERSE', await approvedAuthorization(sweep), { LI_VALUE_1: '99.00' })
  },
  async capture_exceeds(sweep) {
    return adjust(sweep, 'CCCAPTURE', await approvedAuthorization(sweep), { LI_VALUE_1: '99.00' })
  },
  async fully_captured(sweep) {
    return adjust(sweep, 'CCCAPTURE', await approvedSale(sweep), { LI_VALUE_1: '1.00' })
  },
  async adjusted_to_zero(sweep) {
    const order = await approvedAuthorization(sweep)
    await operate(sweep, 'expire-authorization', { order: order['PO_ID'] })
    return adjust(sweep, 'CCCAPTURE', order, { LI_VALUE_1: '1.00' })
  },
  async batch_closed(sweep) {
    const order = await approvedSale(sweep)
    await operate(sweep, 'close-batch', { account: Number(order['MERCH_ACCT_ID']) })
    return adjust(sweep, 'CCREVERSECAP', order)
  },
  async not_captured(sweep) {
    return adjust(sweep, 'CCCREDIT', await approvedAuthorization(sweep), { LI_VALUE_1: '1.00' })
  },
  async refund_exceeds(sweep) {
    return adjust(sweep, 'CCCREDIT', await approvedSale(sweep), { LI_VALUE_1: '99.00' })
  },
  async fully_refunded(sweep) {
    const order = await approvedSale(sweep)
    await adjust(sweep, 'CCCREDIT', order, { LI_VALUE_1: '12.50' })
    return adjust(sweep, 'CCCREDIT', order, { LI_VALUE_1: '1.00' })
  },
} as const satisfies Readonly<Record<string, Recipe>>
