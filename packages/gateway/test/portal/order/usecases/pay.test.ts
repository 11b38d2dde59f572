import assert from 'node:assert/strict'
import { test } from 'node:test'
import type {
  OperationAnswer,
  PaymentAnswer,
} from '../../../../src/portal/order/usecases/operation-answer.ts'
import { createPayInPortal, type PortalPayment } from '../../../../src/portal/order/usecases/pay.ts'
import type { PortalUser } from '../../../../src/portal/shell/usecases/portal-user.ts'
import { SITE } from '../../../http/fake-gateway.ts'

const PORTAL_USER: PortalUser = {
  id: 1n,
  merchantId: SITE.merchantId,
  email: 'owner@shop.example',
  name: 'Owner',
  role: 'owner',
  refundLimit: null,
}

const DONE: OperationAnswer = {
  ok: true,
  outcome: {
    kind: 'done',
    sentence: '',
    orderId: 1n,
    transactionId: 2n,
    did: 'sale',
    state: 'approved',
    amountMinor: 0n,
    currency: 'USD',
    refusal: null,
  },
}

/** A sale of one line for each amount, and whether it was started. */
async function pay(amounts: readonly string[]): Promise<[answer: PaymentAnswer, begun: boolean]> {
  let begun = false
  const unused = () => assert.fail('nothing of this is asked for')
  const payInPortal = createPayInPortal({
    operations: {
      once: async () => {
        begun = true
        return DONE
      },
      recoverForgotten: unused,
    },
    takePayment: unused,
    readSite: async () => SITE,
    nextId: () => 1n,
    isKnown: async () => false,
    findEarlier: async () => null,
  })
  const asked: PortalPayment = {
    key: 'k',
    operation: 'sale',
    siteId: SITE.id,
    accountId: null,
    currency: 'USD',
    lines: amounts.map((amount) => ({ product: '', count: 1, amount })),
    card: { kind: 'saved', customerId: 1n, paymentMethodId: 1n },
    customer: { firstName: '', lastName: '', email: '', phone: '' },
    billing: { street: '', street2: '', city: '', state: '', postalCode: '', country: '' },
    reference: '',
    source: null,
    duplicateOk: false,
  }
  return [await payInPortal(PORTAL_USER, '192.0.2.1', asked), begun]
}

test('lines whose sum exceeds twelve digits of minor units are refused before anything is started', async () => {
  const [answer, begun] = await pay(['9999999999.99', '0.01'])
  assert.equal(begun, false)
  assert.deepEqual(answer, {
    ok: false,
    kind: 'invalid',
    faults: ['The total of the lines is too large.'],
    field: 'amount',
    code: 'amount',
    service: 0,
  })
})

test('lines whose sum has exactly twelve digits of minor units are charged', async () => {
  const [answer, begun] = await pay(['9999999999.98', '0.01'])
  assert.equal(answer, DONE)
  assert.equal(begun, true)
})
