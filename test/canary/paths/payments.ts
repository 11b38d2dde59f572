import { card, CODE, CUSTOMER_PASSWORD, LICENCE } from '../marks.ts'
import { EXPIRY, newReference, payment, valueOf, type Path } from '../path.ts'

/** Every action in every format, approved and declined, with new and with saved cards. */
export const payments: Path = {
  name: 'payments, adjustments and look-ups',
  seen: ['payment', 'decline', 'saved', 'refund'],
  async push(run) {
    const formats = ['XML', 'JSON', 'PIPES']
    await Promise.all(
      formats.flatMap((REQUEST_RESPONSE_FORMAT) => {
        const format = { REQUEST_RESPONSE_FORMAT }
        return [
          run.send({ ...payment(card('payment')), ...format, XTL_ORDER_ID: newReference() }),
          run.send({
            ...payment(card('payment')),
            ...format,
            REQUEST_ACTION: 'CCAUTHORIZE',
            CHKAVS: 'T',
            CHKCVV: 'T',
          }),
          run.send({ ...payment(card('decline'), '6.35'), ...format }),
          run.send({ ...payment(card('decline'), '7.25'), ...format, CHKCVV: 'T' }),
          run.send({ ...payment(card('decline'), '6.60'), ...format, PARTIAL_AUTH: '1' }),
          run.send({ REQUEST_ACTION: 'TESTAUTH', ...format, PMT_NUMB: card('payment') }),
          run.send({
            REQUEST_ACTION: 'TESTGW',
            ...format,
            PMT_NUMB: card('payment'),
            PMT_KEY: CODE,
          }),
        ]
      }),
    )
    await everyAdjustment(run, card('payment'))
    await savedCard(run)
    await run.query(`update merchant_accounts set unreferenced_credits = true where id = 2001`)
    await run.send({ ...payment(card('refund')), REQUEST_ACTION: 'CCCREDIT', FORCE_CREDIT: '1' })
    await run.send({
      ...payment(card('payment')),
      CUST_LOGIN: 'canary-login',
      CUST_PASSWORD: CUSTOMER_PASSWORD,
      CUST_DLN: LICENCE,
      CUST_DLN_STATE: 'NY',
      CUST_SSN_L4: '4711',
    })
    await run.send({
      REQUEST_ACTION: 'SUB_UPDATE',
      REQUEST_REF_MBSHP_ID: '5',
      PMT_NUMB: card('payment'),
    })
    await run.send({
      REQUEST_ACTION: 'SUB_CANCEL',
      REQUEST_REF_MBSHP_ID: '5',
      PMT_NUMB: card('payment'),
    })
  },
}

async function everyAdjustment(run: Parameters<Path['push']>[0], number: string): Promise<void> {
  const reference = newReference()
  const order = {
    ...payment(number, '50.00'),
    REQUEST_ACTION: 'CCAUTHORIZE',
    XTL_ORDER_ID: reference,
  }
  const once = { ...order, UNIQUE_XTL_ORDER_ID: '2' }
  const id = valueOf(await run.send(once), 'PO_ID')
  await run.send(once)
  await run.send({ ...order, UNIQUE_XTL_ORDER_ID: '1' })
  for (const [REQUEST_ACTION, LI_VALUE_1] of [
    ['CCCAPTURE', '30.00'],
    ['CCCREDIT', '5.00'],
    ['CCREVERSECAP', '5.00'],
    ['CCREVERSE', '10.00'],
    ['CCCAPTURE', '999.00'],
  ] as const) {
    // Nothing of a card belongs into these; what is sent all the same must not stay.
    await run.send({
      REQUEST_ACTION,
      REQUEST_REF_PO_ID: id,
      LI_VALUE_1,
      PMT_NUMB: number,
      PMT_KEY: CODE,
    })
  }
  for (const REQUEST_RESPONSE_FORMAT of ['XML', 'JSON', 'PIPES']) {
    await run.send({
      REQUEST_ACTION: 'CCSTATUS',
      REQUEST_REF_PO_ID_XTL: reference,
      REQUEST_RESPONSE_FORMAT,
    })
  }
  await run.send({
    REQUEST_ACTION: 'CCTRANSUPDATE',
    REQUEST_REF_PO_ID: id,
    TRANS_CUSTOMER_RECEIPT: `Paid with ${number}`,
  })
}

async function savedCard(run: Parameters<Path['push']>[0]): Promise<void> {
  const first = await run.send({ ...payment(card('saved')), PMT_ID_XTL: 'canary-card' })
  const CUST_ID = valueOf(first, 'CUST_ID')
  const again = { REQUEST_ACTION: 'CCAUTHCAP', LI_VALUE_1: '3.00', CUST_ID, PMT_KEY: CODE }
  await run.send({ ...again, PMT_L4: card('saved').slice(-4) })
  await run.send({ ...again, PMT_ID: valueOf(first, 'PMT_ID') })
  await run.send({ ...again, PMT_NUMB: card('saved'), PMT_EXPIRY: EXPIRY })
}
