import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import type { Form } from '../../../src/http/payment/form.ts'
import { readForm } from '../../../src/http/payment/form.ts'
import { lookUpName } from '../../../src/http/payment/parameter-names.ts'

// R1 to R3 are explained in docs/integrators/gaps-and-answers.md.

function read(body: string | Buffer, charset: 'utf-8' | 'iso-8859-1' = 'utf-8'): Form {
  const mayBeEmpty = new Set(['REQUEST_PARES'])
  return readForm(Buffer.from(body), { charset, lookUp: lookUpName, mayBeEmpty })
}

const paramsOf = (body: string | Buffer) => Object.fromEntries(read(body).params)

test('R1: a name is known in any case of letters', () => {
  assert.deepEqual(paramsOf('req_username=a&Site_Id=1&LI_VALUE_1=2&li_value_2=3'), {
    REQ_USERNAME: 'a',
    SITE_ID: '1',
    LI_VALUE_1: '2',
    LI_VALUE_2: '3',
  })
})

test('R1: a letter or blank of another script makes no known name', () => {
  for (const name of ['\u017fite_id', 'L\u0131_VALUE_1', '\u00a0SITE_ID', 'SITE_ID\u3000']) {
    const form = read(`${encodeURIComponent(name)}=1001`)
    assert.equal(form.params.size, 0, name)
    assert.deepEqual(form.unknown, ['[no name]'])
  }
})

test('R1: a byte whose capital is two letters of ASCII makes no known name', () => {
  for (const charset of ['utf-8', 'iso-8859-1'] as const) {
    const form = read(Buffer.from('req_pa\u00dfword=secret', 'latin1'), charset)
    assert.equal(form.params.size, 0, charset)
  }
})

test('R1: the correct spelling and the other aliases give the one known name', () => {
  const body =
    'REQUEST_INITIATOR=M&pmt_last4=0002&xtl_po_id=w1&REQUEST_PO_LI_ID=5&TRANS_CUST_RECEIPT=r'
  assert.deepEqual(paramsOf(body), {
    REQUEST_INITATOR: 'M',
    PMT_L4: '0002',
    XTL_ORDER_ID: 'w1',
    REQUEST_REF_PO_LI_ID: '5',
    TRANS_CUSTOMER_RECEIPT: 'r',
  })
})

test('R2: an empty value counts as not sent, but an empty REQUEST_PARES is there', () => {
  assert.deepEqual(paramsOf('CUST_ID=&PMT_ID&REQUEST_PARES=&SITE_ID=1'), {
    REQUEST_PARES: '',
    SITE_ID: '1',
  })
})

test('R2: nameless and unknown parameters are ignored, and the unknown names are kept', () => {
  const form = read('=x&&argdebug=1&SITE_ID=1&argdebug=2&bad=%zz')
  assert.deepEqual(Object.fromEntries(form.params), { SITE_ID: '1' })
  assert.deepEqual(form.unknown, ['argdebug', 'argdebug', 'bad'])
  assert.equal(form.problem, null)
})

test('an invalid parameter name is not kept: it may hold codes and passwords', () => {
  const json = '{"CARD_CVV":"731","REQ_PASSWORD":"Right-password-1"}'
  for (const body of [
    json,
    `SITE_ID=1&REQ_PASSWORD=half&other-half`,
    `${json}=`,
    '4111111111111111=1',
    `${'x'.repeat(49)}4111111111111111=1`,
  ]) {
    assert.deepEqual(read(body).unknown, ['[no name]'], body)
  }
})

test('R2: a name sent twice is the problem, in any case and with any values', () => {
  assert.deepEqual(read('LI_VALUE_1=1&li_value_1=1').problem, {
    kind: 'repeated',
    field: 'LI_VALUE_1',
  })
})

test('R2: two spellings of a name with one value are no problem, with two values they are', () => {
  assert.equal(read('REQUEST_INITATOR=M&REQUEST_INITIATOR=M').problem, null)
  assert.deepEqual(read('REQUEST_INITATOR=M&REQUEST_INITIATOR=C').problem, {
    kind: 'repeated',
    field: 'REQUEST_INITATOR',
  })
})

test('R2: the first of several problems is the reported one', () => {
  const form = read('CUST_FNAME=%zz&SITE_ID=1&SITE_ID=2')
  assert.deepEqual(form.problem, { kind: 'undecodable', field: 'CUST_FNAME' })
})

test('R2: blanks, #, @ and commas need no encoding, and + is a blank', () => {
  assert.deepEqual(paramsOf('BILL_ADDR=1 Main St #2, B&CUST_EMAIL=a@b.c&CUST_LNAME=van+der+Berg'), {
    BILL_ADDR: '1 Main St #2, B',
    CUST_EMAIL: 'a@b.c',
    CUST_LNAME: 'van der Berg',
  })
})

test('R2: a line end after the last pair is no part of its value', () => {
  assert.deepEqual(paramsOf('SITE_ID=1\r\n'), { SITE_ID: '1' })
})

for (const broken of ['%', '%4', '%zz', 'a%', '%F', '%ff', '%c3', '%00', '\0', '+\0']) {
  test(`R3: ${JSON.stringify(broken)} is no text, and its parameter is named`, () => {
    assert.deepEqual(read(`SITE_ID=1&CUST_FNAME=${broken}`).problem, {
      kind: 'undecodable',
      field: 'CUST_FNAME',
    })
  })
}

test('R3: raw bytes are read as UTF-8 or in the charset that the content type names', () => {
  const latin = Buffer.concat([Buffer.from('CUST_FNAME='), Buffer.from([0xe9])])
  assert.equal(read('CUST_FNAME=é').params.get('CUST_FNAME'), 'é')
  assert.equal(read(latin, 'iso-8859-1').params.get('CUST_FNAME'), 'é')
  assert.equal(read('CUST_FNAME=%E9', 'iso-8859-1').params.get('CUST_FNAME'), 'é')
  assert.equal(read(latin).problem?.kind, 'undecodable')
})

test('R3: a thousand pairs are read and one more is too many', () => {
  const pairs = (count: number) => Array.from({ length: count }, (_, at) => `x${at}=1`).join('&')
  assert.equal(read(pairs(1000)).problem, null)
  assert.equal(read(pairs(1001)).problem?.kind, 'too_many_pairs')
})

test('a line number that no line can have is known, so that it can be refused', () => {
  const params = paramsOf('LI_VALUE_0=1&LI_VALUE_01=1&LI_VALUE_100=1')
  assert.deepEqual(Object.keys(params), ['LI_VALUE_0', 'LI_VALUE_01', 'LI_VALUE_100'])
})

test('any form-encoded text is decoded to the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (value) => {
      fc.pre(!value.includes('\0'))
      const body = new URLSearchParams([['CUST_FNAME', value]]).toString()
      assert.equal(read(body).params.get('CUST_FNAME'), value)
    }),
  )
})

test('no bytes at all make the reader throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      read(Buffer.concat([Buffer.from('SITE_ID='), bytes]))
    }),
  )
})
