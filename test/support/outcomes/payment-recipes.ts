import { newReference } from '../payments.ts'
import { BROWSER, CARD, enrolForm, finalForm, prepare } from '../three-ds.ts'
import { siteAnswer } from './site-trials.ts'
import { approvedSale } from './steps.ts'
import type { Recipe } from './sweep.ts'

/** Refusals of payments. */
export const PAYMENT_RECIPES = {
  unreferenced_credit_not_allowed: (sweep) => siteAnswer(sweep, 9010, 'an unreferenced credit'),
  three_ds_not_set_up: (sweep) => siteAnswer(sweep, 9010, 'the request that prepares 3-D Secure'),
  product_not_found: (sweep) => siteAnswer(sweep, 9001, 'an unknown product'),
  product_inactive: (sweep) => siteAnswer(sweep, 9001, 'an inactive product'),
  product_misconfigured: (sweep) => siteAnswer(sweep, 9001, 'a membership product in USD'),
  currency_not_configured: (sweep) => siteAnswer(sweep, 9008, 'another currency'),
  renewal_without_receipt: (sweep) =>
    siteAnswer(sweep, 9009, 'the second renewal after a trial, without a receipt'),
  async card_not_found(sweep) {
    const { CUST_ID } = await approvedSale(sweep)
    return sweep.pay({ PMT_NUMB: null, PMT_EXPIRY: null, CUST_ID: CUST_ID ?? '', PMT_L4: '0000' })
  },
  customer_not_found: ({ pay }) => pay({ PMT_NUMB: null, PMT_EXPIRY: null, CUST_ID: '4999999' }),
  ddc_reference_unknown: ({ pay }) =>
    pay({
      ...BROWSER,
      REQUEST_ENROLLMENT: '1',
      DDC_REFERENCEID: 'unknown',
      P3DS_RETURN_URL: 'http://shop.test/back',
    }),
  authentication_unknown: ({ send }) =>
    send(finalForm(CARD.challenged, { P3DS_PROCTRANSID: newReference() })),
  async authentication_mismatch({ gateway, send }) {
    const reference = await prepare(gateway, CARD.challenged)
    const { fields } = await send(enrolForm(CARD.challenged, reference))
    return send(finalForm(CARD.challenged, fields, { REQUEST_ACTION: 'CCAUTHCAP' }))
  },
  token_invalid: ({ pay }) =>
    pay({ PMT_NUMB: null, TOKEN_GUID: 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa' }),
  merchant_account_not_found: ({ pay }) => pay({ MERCH_ACCT_ID: '1' }),
  order_unknown: ({ send }) => send({ REQUEST_ACTION: 'CCSTATUS', REQUEST_REF_PO_ID: '1' }),
  async duplicate_order(sweep) {
    const reference = { XTL_ORDER_ID: newReference(), UNIQUE_XTL_ORDER_ID: '1' }
    await approvedSale(sweep, reference)
    return sweep.pay(reference)
  },
  async idempotency_key_reused(sweep) {
    const key = { IDEMPOTENCY_KEY: newReference() }
    await approvedSale(sweep, key)
    return sweep.pay({ ...key, LI_VALUE_1: '13.00' })
  },
  async login_taken(sweep) {
    const login = { CUST_LOGIN: newReference() }
    await approvedSale(sweep, login)
    return sweep.pay(login)
  },
} as const satisfies Readonly<Record<string, Recipe>>
