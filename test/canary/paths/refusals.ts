import { card, CODE, WRONG_PASSWORD } from '../marks.ts'
import { EXPIRY, payment, type Path } from '../path.ts'

/** A request for each check that can refuse it. */
export const refusals: Path = {
  name: 'refused requests',
  seen: ['refusal'],
  async push(run) {
    const number = card('refusal')
    const sale = payment(number)
    const without = (name: string): Record<string, string> =>
      Object.fromEntries(Object.entries(sale).filter(([each]) => each !== name))
    await Promise.all(
      [
        without('PMT_EXPIRY'),
        without('LI_VALUE_1'),
        without('REQUEST_ACTION'),
        { ...sale, PMT_NUMB: number.replace(/(.{4})/g, '$1-').slice(0, -1) },
        { ...sale, PMT_NUMB: `${number}1234` },
        { ...sale, PMT_NUMB: `${number}x` },
        { ...sale, PMT_NUMB: ` ${number}` },
        { ...sale, PMT_KEY: number },
        { ...sale, PMT_KEY: `${CODE}x` },
        { ...sale, PMT_EXPIRY: '1335' },
        { ...sale, PMT_EXPIRY: number },
        { ...sale, PMT_EXPIRY: '012001' },
        { ...sale, LI_VALUE_1: number },
        { ...sale, LI_VALUE_1: `${number}.00` },
        { ...sale, LI_VALUE_100: number },
        { ...sale, LI_COUNT_1: number },
        { ...sale, REQUEST_CURRENCY: 'XXX' },
        { ...sale, REQUEST_CURRENCY: number },
        { ...sale, MERCH_ACCT_ID: number },
        { ...sale, CUST_ID: number },
        { ...sale, CUST_ID: '1', PMT_ID: number },
        { ...sale, PMT_L4: '0000' },
        { ...sale, TOKEN_GUID: number },
        { ...sale, TRANS_REBILL_TYPE: number },
        { ...sale, UNIQUE_XTL_ORDER_ID: number },
        { ...sale, PROD_NAME: number },
        { ...sale, SITE_ID: number },
        { ...sale, SITE_ID: '1002' },
        { ...sale, REQUEST_API_VERSION: number },
        { ...sale, REQUEST_RESPONSE_FORMAT: number },
        { ...sale, REQUEST_ACTION: number },
        { ...sale, REQ_PASSWORD: WRONG_PASSWORD },
        { ...sale, REQ_PASSWORD: number },
        { ...sale, REQUEST_ACTION: 'CCCREDIT', FORCE_CREDIT: '1', REQUEST_REF_PO_ID: number },
        { REQUEST_ACTION: 'CCCAPTURE', REQUEST_REF_PO_ID: number, LI_VALUE_1: '1' },
        { REQUEST_ACTION: 'CCSTATUS', REQUEST_REF_PO_ID: number },
        { REQUEST_ACTION: 'CCSTATUS', REQUEST_REF_PO_ID_XTL: number },
        { REQUEST_ACTION: 'SUB_CANCEL', REQUEST_REF_MBSHP_ID: number, SUB_CANCEL_TYPE: number },
        // A wrong check digit and a card in the past are stored, and not sent to the bank.
        { ...sale, PMT_NUMB: `${number.slice(0, -1)}${(Number(number.slice(-1)) + 1) % 10}` },
        { REQUEST_ACTION: 'CCAUTHORIZE', PMT_NUMB: number, PMT_EXPIRY: EXPIRY, LI_VALUE_1: '0' },
      ].map((form) => run.send(form)),
    )
  },
}
