/** A statement of the payments' adapters that does not carry its merchant. */
export interface MerchantGap {
  /** File, verb and table: `payment-statements.ts update orders`. */
  readonly at: string
  readonly why: string
}

const BY_KEY = 'reaches its rows by ids, which the caller read under the merchant'

/**
 * Sharding by merchant needs the merchant in every statement and every key. These statements have
 * none today; docs/operators/scaling.md says what would have to change.
 */
export const STATEMENTS_WITHOUT_MERCHANT: readonly MerchantGap[] = [
  { at: 'account-updates.ts update payment_methods', why: BY_KEY },
  { at: 'adjustment-statements.ts update order_lines', why: BY_KEY },
  { at: 'adjustment-statements.ts update orders', why: BY_KEY },
  { at: 'adjustment-statements.ts update transactions', why: BY_KEY },
  { at: 'advice-store.ts update advices', why: 'a job takes the advices of all merchants' },
  { at: 'intend-steps.ts update customers', why: BY_KEY },
  { at: 'intend-steps.ts update payment_methods', why: BY_KEY },
  { at: 'order-events.ts update orders', why: BY_KEY },
  { at: 'payment-statements.ts update order_lines', why: BY_KEY },
  { at: 'payment-statements.ts update orders', why: BY_KEY },
  { at: 'payment-statements.ts update transactions', why: BY_KEY },
  { at: 'reference-claims.ts update order_claims', why: 'the site stands for its merchant' },
]

/** Tables of the payments' adapters without the column. */
export const TABLES_WITHOUT_MERCHANT: Readonly<Record<string, string>> = {
  customer_logins: 'a login belongs to a site, which has one merchant',
}

const INSERT = /insert into (\w+)[^(]*\(([^)]*)\)/g
const UPDATE = /\bupdate (\w+)\b([^`]*?)(?=\breturning\b|\n\)|`)/g
const TABLE = /^create table (\w+) \((.*?)^\)/gms

/** The tables of `schema.sql` that have the merchant, and those that have not. */
export function readTables(schema: string): ReadonlyMap<string, boolean> {
  return new Map(
    [...schema.matchAll(TABLE)].map(([, name = '', body = '']) => [
      name,
      /^ {2}merchant_id /m.test(body),
    ]),
  )
}

/**
 * Every statement of the sources that inserts or updates without `merchant_id`, and every table
 * that they write without the column, once each.
 */
export function merchantGaps(
  sources: ReadonlyMap<string, string>,
  tables: ReadonlyMap<string, boolean>,
): { readonly statements: string[]; readonly tables: string[] } {
  const all = [...sources.values()].join('\n')
  /** Whether a list of columns has it, itself or in a constant that it names. */
  const names = (columns: string): boolean =>
    columns.includes('merchant_id') ||
    [...columns.matchAll(/\$\{(\w+)/g)].some(([, constant = '']) =>
      new RegExp(`const ${constant} =[^;]*?merchant_id`).test(all.replaceAll('\n\n', ';')),
    )
  const statements = new Set<string>()
  const without = new Set<string>()
  for (const [file, source] of sources) {
    const note = (verb: string, table: string, carries: boolean): void => {
      const has = tables.get(table)
      if (has === undefined) return
      if (!has) without.add(table)
      else if (!carries) statements.add(`${file} ${verb} ${table}`)
    }
    for (const [, table = '', columns = ''] of source.matchAll(INSERT))
      note('insert', table, names(columns))
    for (const [, table = '', rest = ''] of source.matchAll(UPDATE))
      note('update', table, rest.slice(rest.lastIndexOf('where')).includes('merchant_id'))
  }
  return { statements: [...statements].sort(), tables: [...without].sort() }
}
