import { columnsOf, type ColumnsRow } from '@tollgate/portal-contract/order-columns'
import { parse } from 'csv-parse/sync'
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { fc } from '../../../../../test/support/properties.ts'
import { csvHead, csvLine } from '../../../src/portal/words/csv.ts'

const ROW: ColumnsRow = {
  orderId: 600001n,
  transactionId: 800001n,
  at: new Date('2026-11-21T16:03:12.345Z'),
  site: 'Shop',
  account: '2001',
  reference: '@cmd, "x"',
  status: 'part_refunded',
  action: 'sale',
  initiator: 'customer',
  customerId: 9001n,
  customer: 'Jane Doe',
  email: 'jane@example.com',
  brand: 'Visa',
  last4: '0011',
  currency: 'KWD',
  amount: 12_500n,
  authorized: 12_500n,
  voided: 0n,
  captured: 12_500n,
  refunded: 1n,
  serviceCode: 0,
  avs: 'N',
  cvv: 'M',
  threeDs: '',
  authCode: '000123',
  networkId: '',
  batch: null,
  user: 'demo',
}

/** The cells that a reader of RFC 4180 finds in one line. */
function cells(line: string): string[] {
  const [row = []]: string[][] = parse(line)
  return row
}

suite('the file of a list', () => {
  test('has its columns in the sequence asked for, and the currency behind the first amount', () => {
    assert.equal(
      csvHead('orders', { columns: ['amount', 'order', 'refunded'] }),
      '"Amount","Currency","Order","Refunded"\r\n',
    )
    assert.equal(
      csvLine(ROW, { columns: ['amount', 'order', 'refunded'], timeZone: 'UTC' }),
      '"12.500","KWD","600001","0.001"\r\n',
    )
    assert.equal(
      csvHead('orders', { columns: ['amount', 'order', 'currency'] }),
      '"Amount","Order","Currency"\r\n',
    )
  })

  test('has times with their zone, and codes in words', () => {
    assert.deepEqual(
      cells(csvLine(ROW, { columns: ['at', 'status', 'avs', 'reference'], timeZone: 'UTC' })),
      [
        '2026-11-21T16:03:12.345Z',
        'Partly refunded',
        'N: Neither street nor postal code matches',
        `'@cmd, "x"`,
      ],
    )
  })

  test("has times of the merchant's zone with their offset", () => {
    const of = (timeZone: string): string => csvLine(ROW, { columns: ['at'], timeZone })

    assert.equal(of('Europe/Berlin'), '"2026-11-21T17:03:12.345+01:00"\r\n')
    assert.equal(of('America/Los_Angeles'), '"2026-11-21T08:03:12.345-08:00"\r\n')
  })

  test('has as many cells in a row as in its head, with any contents', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.subarray([...columnsOf('orders')], { minLength: 1 }),
        (text, columns) => {
          const row = {
            ...ROW,
            reference: text.replaceAll('\0', ''),
            customer: text.replaceAll('\0', ''),
          }
          assert.equal(
            cells(csvLine(row, { columns, timeZone: 'UTC' })).length,
            cells(csvHead('orders', { columns })).length,
          )
        },
      ),
    )
  })
})
