import type {
  PublishedTestValue,
  TestTrial,
  TestValueAnswer,
  TestValuePayment,
} from '../../domain/banks/test-value.ts'
import type { CardProduct } from '../../domain/payments/card-product.ts'
import { writeJson } from '../payment/formats/json.ts'
import type { Field } from '../payment/record.ts'
import { number, text } from '../payment/record.ts'
import { blankAdvices, tierFields } from '../payment/tiers.ts'

type Parameters = Readonly<Record<string, string>>

/** A card that approves everything, with an expiry that is not past. */
const PLAIN: Parameters = {
  REQUEST_ACTION: 'CCAUTHCAP',
  PMT_NUMB: '4111111111111111',
  PMT_EXPIRY: '122040',
  LI_VALUE_1: '12.50',
}
const VERSION = '2.2.0'
const DS_TRANS_ID = '6a1e3a53-9b53-4b7e-8f0e-3f6f0f4d9c11'

/** A payment as parameters of the payment interface, beside the login and the site. */
export function parametersOf(payment: TestValuePayment): Parameters {
  const { address, amount, cavv, currency, expiry, pan = PLAIN['PMT_NUMB'] ?? '' } = payment
  return {
    ...PLAIN,
    PMT_NUMB: pan,
    ...(payment.isMerchantInitiated === true
      ? { REQUEST_REBILL: '1' }
      : { PMT_KEY: payment.securityCode ?? codeOf(pan) }),
    ...(expiry === undefined ? {} : { PMT_EXPIRY: `${expiry.slice(2)}20${expiry.slice(0, 2)}` }),
    ...(amount === undefined ? {} : { LI_VALUE_1: amount }),
    ...(currency === undefined ? {} : { REQUEST_CURRENCY: currency }),
    ...(address === undefined || address.street === ''
      ? {}
      : { BILL_ADDR: address.street, BILL_ADDR_ZIP: address.postalCode }),
    ...(payment.acceptsPartial === true ? { PARTIAL_AUTH: '1' } : {}),
    ...(cavv === undefined ? {} : authentication(pan, cavv)),
  }
}

function codeOf(pan: string): string {
  return pan.length === 15 ? '1234' : '123'
}

function authentication(pan: string, cavv: string): Parameters {
  const isMastercard = pan.startsWith('5')
  return {
    P3DS_CAVV: cavv,
    P3DS_ECI: isMastercard ? '02' : '05',
    ...(isMastercard ? { P3DS_TRANSID: DS_TRANS_ID, P3DS_VERSION: VERSION } : {}),
  }
}

/** A value as `/sandbox/values` lists it: requests to send, and the fields of their answers. */
export function testValueRecord({ product, trials, ...value }: PublishedTestValue): object {
  const ofCard = product === undefined ? [] : productFields(product)
  return { ...value, trials: trials.map((trial) => trialRecord(trial, ofCard)) }
}

function productFields(product: CardProduct): readonly Field[] {
  return [
    text('CARD_TYPE', product.type),
    text('CARD_CLASS', product.class),
    number('CARD_PREPAID', product.prepaid ? 1 : 0),
    text('CARD_BANK', product.bank),
    text('CARD_COUNTRY', product.country),
    text('CARD_DETAIL', product.detail),
    number('TRANS_NTOKEN_USED', product.networkToken ? 1 : 0),
  ]
}

function trialRecord({ answer, payment, runs, when }: TestTrial, ofCard: readonly Field[]): object {
  if (answer === null || payment === null) return { when, runs }
  const parameters = parametersOf(payment)
  // Without an answer of the bank nothing is known of the card.
  const known = answer.outcome === 'failed' ? [] : ofCard
  const fields = fieldsOf(answer, parameters['LI_VALUE_1'] ?? '', known)
  return {
    when,
    runs,
    parameters,
    answer: JSON.parse(writeJson(fields)) as object,
    ...headersOf(answer),
  }
}

function fieldsOf(answer: TestValueAnswer, asked: string, ofCard: readonly Field[]): Field[] {
  const { approved, avs, balance, cvv, issuer, outcome, processor, service } = answer
  const tiers = {
    api: '0',
    service: service.code,
    serviceAdvice: service.text,
    processor: processor.code,
    processorAdvice: processor.text,
    industry: issuer.code,
    industryAdvice: issuer.text,
  }
  return [
    text('TRANS_STATUS_NAME', outcome.toUpperCase()),
    number('TRANS_VALUE', String(Number(approved ?? asked))),
    ...ofCard,
    ...(balance === null ? [] : [text('CARD_BALANCE', balance)]),
    ...(avs === null ? [] : [text('AVS_RESPONSE', avs)]),
    ...(cvv === null ? [] : [text('CVV_RESPONSE', cvv)]),
    ...tierFields(outcome === 'approved' ? tiers : blankAdvices(tiers)),
  ]
}

/** The headers whose value the test value decides: a date depends on the time of the payment. */
function headersOf({ merchantAdvice, retry }: TestValueAnswer): object {
  const words = { never: 'never', new_data: 'new-data', authenticate: 'authenticate' } as const
  const headers = {
    ...(merchantAdvice === '' ? {} : { 'Tollgate-Advice-Code': merchantAdvice }),
    ...(retry === null || retry === 'after' ? {} : { 'Tollgate-Retry-After': words[retry] }),
  }
  return Object.keys(headers).length === 0 ? {} : { headers }
}
