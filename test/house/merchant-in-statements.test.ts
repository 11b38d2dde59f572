import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  merchantGaps,
  readTables,
  STATEMENTS_WITHOUT_MERCHANT,
  TABLES_WITHOUT_MERCHANT,
} from './merchant-in-statements.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAYMENTS = join(ROOT, 'packages/gateway/src/adapters/postgres/payments')
const tables = readTables(readFileSync(join(ROOT, 'migrations/schema.sql'), 'utf8'))

test('every statement that writes payments carries the merchant, except those listed with a reason', () => {
  const sources = new Map(
    readdirSync(PAYMENTS).map((file) => [file, readFileSync(join(PAYMENTS, file), 'utf8')]),
  )
  const gaps = merchantGaps(sources, tables)

  assert.ok((tables.get('orders') ?? false) && tables.get('customer_logins') === false)
  assert.deepEqual(
    gaps.statements,
    STATEMENTS_WITHOUT_MERCHANT.map(({ at }) => at),
  )
  assert.deepEqual(gaps.tables, Object.keys(TABLES_WITHOUT_MERCHANT))
})

test('the check finds an insert, an update and a table without the merchant', () => {
  const source = [
    'const withMerchant = defineColumns({ id: 1, merchant_id: 2 })',
    'const bare = defineColumns({ id: 1 })',
    '`insert into orders (${withMerchant.names}) select 1`',
    '`update orders set state = 1 where id = 1 and merchant_id = 2`',
    '`insert into advices (${bare.names}) select 1`',
    '`insert into transactions (id) select 1`',
    '`update order_lines set merchant_id = 1 where id = 2`',
    '`insert into customer_logins (site_id) select 1`',
  ].join('\n\n')

  assert.deepEqual(merchantGaps(new Map([['a.ts', source]]), tables), {
    statements: ['a.ts insert advices', 'a.ts insert transactions', 'a.ts update order_lines'],
    tables: ['customer_logins'],
  })
})
