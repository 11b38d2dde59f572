import { ASSIGNED } from '../../connection/id-sequences.ts'
import type { Invariant } from './invariant.ts'

/** The columns that hold ids of a sequence. */
const HOLDERS: readonly (readonly [sequence: string, table: string, column: string])[] = [
  ['request_ids', 'requests', 'id'],
  ['order_ids', 'orders', 'id'],
  ['line_ids', 'order_lines', 'id'],
  ['transaction_ids', 'transactions', 'id'],
  ['customer_ids', 'customers', 'id'],
  ['payment_method_ids', 'payment_methods', 'id'],
  ['advice_ids', 'advices', 'id'],
  ['card_token_ids', 'card_tokens', 'id'],
  ['membership_ids', 'memberships', 'id'],
  ['message_numbers', 'orders', 'message_number'],
  ['message_numbers', 'advices', 'message_number'],
  ['batch_ids', 'batches', 'id'],
]

const HIGHEST = HOLDERS.map(
  ([sequence, table, column]) =>
    `select '${sequence}' as sequence, '${table}.${column}' as place,
            (select max(${column}) from ${table}) as id`,
).join(' union all ')

/** Ids and the sequences that assign them. A restored backup is where they can part. */
export const idInvariants: readonly Invariant[] = [
  {
    name: 'ids_are_assigned',
    sentence: 'Every id is one that its sequence has assigned, so none is assigned a second time.',
    // Sequences are read as they are now, rows as of the start of the statement: never the later.
    sql: `
      select h.place, h.id, a.assigned
        from (${HIGHEST}) h join (${ASSIGNED}) a on a.sequence = h.sequence
       where h.id > a.assigned`,
  },
  {
    name: 'id_marks_are_assigned',
    since: 'whole',
    sentence: 'The database has assigned every id that this node has seen assigned.',
    takes: 'id marks',
    sql: `
      select a.sequence, m.level::bigint as mark, a.assigned
        from json_each_text($1::json) as m (name, level)
        join (${ASSIGNED}) a on a.sequence = m.name
       where m.level::bigint > a.assigned`,
  },
]
