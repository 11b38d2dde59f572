import type pg from 'pg'
import { appendAudit } from '../../../adapters/postgres/audit/audit-log.ts'
import { AUDITED, inTransaction } from '../../../adapters/postgres/connection/transaction.ts'
import { invariant } from '../../../base/invariant.ts'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import {
  refusal,
  type OperationAnswer,
  type OperationOutcome,
  type OperationRefusal,
} from '../usecases/operation-answer.ts'
import type { OperationStore, StoredOperation } from '../usecases/operations.ts'

interface Row {
  readonly id: string
  readonly merchant_id: string
  readonly operation: StoredOperation['operation']
  readonly order_id: string
  readonly site_id: string
  readonly request_id: string
  readonly transaction_id: string | null
  readonly state: StoredOperation['state']
  readonly digest: Buffer
  readonly age_ms: number
  readonly result: Readonly<Record<string, unknown>> | null
  readonly email: string
  readonly address: string
}

const SELECT = `
select a.id, a.merchant_id, a.operation, a.order_id, a.site_id, a.request_id, a.transaction_id, a.state, a.digest,
       (extract(epoch from now() - a.begun_at) * 1000)::float8 as age_ms, a.result, p.email, a.address
  from portal_operations a join portal_users p on p.id = a.portal_user_id`

/** Operations that users started in the portal, and their results. */
export function createOperationStore(pool: pg.Pool): OperationStore {
  const find = async (
    where: string,
    values: readonly unknown[],
  ): Promise<StoredOperation | null> => {
    const { rows } = await pool.query<Row>(`${SELECT} where ${where}`, [...values])
    return rows[0] === undefined ? null : storedOperation(rows[0])
  }

  /** Changes an operation in one of the states, with its audit entry; false if in none. */
  const change = async (
    id: bigint,
    from: readonly StoredOperation['state'][],
    state: StoredOperation['state'],
    answer: OperationAnswer,
    entry: AuditEntry,
  ): Promise<void> => {
    await inTransaction(pool, AUDITED, async (client) => {
      // The lock first: a payment whose intent is being written holds it, and is then seen.
      await client.query('select from portal_operations where id = $1 for update', [id])
      const { rowCount } = await client.query(
        `update portal_operations set state = $3, result = $4, transaction_id = coalesce($5, transaction_id), ended_at = now()
          where id = $1 and state = any($2)
            and ($3 <> 'interrupted' or not exists (select from transactions t where t.id = portal_operations.transaction_id))`,
        [id, from, state, stored(answer), answer.ok ? answer.outcome.transactionId : null],
      )
      if (rowCount === 1) await appendAudit(client, [entry])
      return { ok: true }
    })
  }

  return {
    async begin(
      { portalUser, address, siteId, key, operation, orderId, sourceOrderId, transactionId },
      requestId,
      digest,
    ) {
      const { rows } = await pool.query<{ id: string }>(
        `insert into portal_operations (merchant_id, portal_user_id, site_id, key, operation, order_id, source_order_id, digest, request_id,
                                  transaction_id, address, came_in_by)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
                 (select came_in_by from portal_users where id = $2))
             on conflict (merchant_id, key) do nothing returning id`,
        [
          portalUser.merchantId,
          portalUser.id,
          siteId,
          key,
          operation,
          orderId,
          sourceOrderId,
          Buffer.from(digest, 'hex'),
          requestId,
          transactionId,
          address,
        ],
      )
      const found = await find('a.merchant_id = $1 and a.key = $2', [portalUser.merchantId, key])
      invariant(found !== null, 'a started operation is missing')
      return { isNew: rows.length === 1, operation: found }
    },
    async find(id) {
      const found = await find('a.id = $1', [id])
      invariant(found !== null, 'an operation is missing')
      return found
    },
    async end(id, answer, entry) {
      await change(
        id,
        answer.ok ? ['begun', 'interrupted'] : ['begun'],
        answer.ok ? 'done' : 'refused',
        answer,
        entry,
      )
      const found = await find('a.id = $1', [id])
      return found?.result ?? answer
    },
    interrupt: (id, answer, entry) => change(id, ['begun'], 'interrupted', answer, entry),
    async waitForLock(orderId) {
      await pool.query('select from orders where id = $1 for update', [orderId])
    },
    async isBegun(id) {
      const { rowCount } = await pool.query(
        `select from portal_operations where id = $1 and state = 'begun'`,
        [id],
      )
      return rowCount === 1
    },
    async findOutcome({ orderId, requestId, transactionId }) {
      const { rows } = await pool.query<{ id: string }>(
        'select id from transactions where order_id = $1 and (id = $2 or ($2 is null and request_id = $3))',
        [orderId, transactionId, requestId],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].id)
    },
    async findForgotten(olderThanMs) {
      const { rows } = await pool.query<Row>(
        `${SELECT} where a.state = 'begun' and a.begun_at < now() - $1 * interval '1 millisecond' order by a.begun_at limit 50`,
        [olderThanMs],
      )
      return rows.map(storedOperation)
    },
  }
}

function storedOperation(row: Row): StoredOperation {
  return {
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    operation: row.operation,
    orderId: BigInt(row.order_id),
    siteId: BigInt(row.site_id),
    requestId: BigInt(row.request_id),
    transactionId: row.transaction_id === null ? null : BigInt(row.transaction_id),
    state: row.state,
    digest: row.digest.toString('hex'),
    ageMs: row.age_ms,
    result: row.result === null ? null : readAnswer(row.result),
    portalUser: { email: row.email },
    address: row.address,
  }
}

/**
 * A refusal as the table has it. This form stays: the order page selects the sentence by its name,
 * and nodes of the previous version read the rows during a rolling restart.
 */
interface StoredRefusal {
  readonly kind: 'refused'
  readonly cause: OperationRefusal['kind']
  readonly code: string
  readonly sentence: string
  readonly field: string | null
  readonly service: number
}

function stored(answer: OperationAnswer): string {
  return JSON.stringify(answer.ok ? answer.outcome : storedRefusal(answer), (_, part: unknown) =>
    typeof part === 'bigint' ? part.toString() : part,
  )
}

function storedRefusal({ kind, code, faults, field, service }: OperationRefusal): StoredRefusal {
  return {
    kind: 'refused',
    cause: kind,
    code,
    sentence: faults.join(' '),
    field: field ?? null,
    service,
  }
}

/** Refusals of early versions were stored with a status of HTTP in place of their cause. */
const CAUSES: ReadonlyMap<unknown, OperationRefusal['kind']> = new Map([
  [400, 'invalid'],
  [403, 'forbidden'],
  [404, 'missing'],
])

/** Reads a result that `stored` wrote: ids and amounts are numbers again. */
function readAnswer(result: Readonly<Record<string, unknown>>): OperationAnswer {
  if (result['kind'] === 'refused') {
    const {
      cause = CAUSES.get(result['status']) ?? 'conflict',
      code,
      sentence,
      field,
      service,
    } = result as Omit<StoredRefusal, 'cause'> & Partial<Pick<StoredRefusal, 'cause'>>
    return refusal(cause, code, sentence, field, service)
  }
  const number = (name: string): bigint => BigInt(String(result[name]))
  const outcome = {
    ...result,
    orderId: number('orderId'),
    transactionId: number('transactionId'),
    amountMinor: number('amountMinor'),
  } as unknown as OperationOutcome
  return { ok: true, outcome }
}
