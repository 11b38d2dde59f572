import { text, unread, type ValueForm } from './value-forms.ts'

/** The operations of the interface; an unreferenced credit is an operation of its own. */
export type Operation =
  | 'test_auth'
  | 'test_gateway'
  | 'authorization'
  | 'sale'
  | 'capture'
  | 'refund'
  | 'unreferenced_credit'
  | 'void'
  | 'capture_void'
  | 'status'
  | 'update_transaction'
  | 'update_membership'
  | 'cancel_membership'
  | 'dispute_alert'

/**
 * The use of a parameter in a card payment. `acts`: it changes the outcome. `echoes`: the answer
 * repeats it. `stores`: it is kept with the order and shown. `checks`: only its form is checked.
 * `ignores`: it belongs to another payment method or service, and is not read.
 */
export type Use = 'acts' | 'echoes' | 'stores' | 'checks' | 'ignores'

/** How it appears in the request log: whole, a card number cut down, or not at all. */
export type Secrecy = 'open' | 'card_number' | 'removed'

export type Group =
  | 'control'
  | 'reference'
  | 'card'
  | 'line'
  | 'order'
  | 'verification'
  | 'recurring'
  | 'customer'
  | 'address'
  | 'authentication'
  | 'product'
  | 'membership'
  | 'other'

export interface Parameter<Value = unknown> extends ValueForm<Value> {
  readonly name: string
  readonly group: Group
  /** The operations that read it; all others ignore it. */
  readonly operations: readonly Operation[]
  readonly use: Use
  readonly secrecy: Secrecy
  /** Other names under which it is accepted. */
  readonly aliases: readonly string[]
  readonly meaning: string
}

/** A row of the table before its section says where it belongs. */
interface Row<Value> extends Omit<Parameter<Value>, 'name' | 'group' | 'operations'> {
  /** Null: where its section is read. */
  readonly in: readonly Operation[] | null
}

type Extra = Partial<Pick<Row<unknown>, 'in' | 'secrecy' | 'aliases'>>

/** The rows of a section by name, each with the type of its value. */
type Section<Rows> = {
  readonly [Name in keyof Rows]: Rows[Name] extends Row<infer Value> ? Parameter<Value> : never
}

/** Places rows in a group; `operations`: where those are read that don't say so themselves. */
export function section<Rows extends Readonly<Record<string, Row<unknown>>>>(
  group: Group,
  operations: readonly Operation[],
  rows: Rows,
): Section<Rows> {
  const placed = Object.entries(rows).map(([name, { in: own, ...row }]) => [
    name,
    { name, group, operations: own ?? operations, ...row },
  ])
  return Object.fromEntries(placed) as Section<Rows>
}

function row<Value>(use: Use, form: ValueForm<Value>, meaning: string, extra: Extra): Row<Value> {
  return { ...form, use, meaning, in: null, secrecy: 'open', aliases: [], ...extra }
}

export function acts<Value>(
  form: ValueForm<Value>,
  meaning: string,
  extra: Extra = {},
): Row<Value> {
  return row('acts', form, meaning, extra)
}

export function echoes<Value>(
  form: ValueForm<Value>,
  meaning: string,
  extra: Extra = {},
): Row<Value> {
  return row('echoes', form, meaning, extra)
}

export function stores<Value>(
  form: ValueForm<Value>,
  meaning: string,
  extra: Extra = {},
): Row<Value> {
  return row('stores', form, meaning, extra)
}

/** Its value goes no further than the check. */
export function checks(
  form: ValueForm<unknown>,
  meaning: string,
  extra: Extra = {},
): Row<undefined> {
  return row('checks', unread(form), meaning, extra)
}

/** Read nowhere, so any text is as good as another. */
export function ignores(max: number, meaning: string, extra: Extra = {}): Row<undefined> {
  return row('ignores', unread(text(max)), meaning, { in: [], ...extra })
}
