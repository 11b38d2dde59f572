import type { ConsoleRole } from '@tollgate/portal-contract/console-rights'
import type pg from 'pg'
import {
  planOf,
  storedPrices,
  type StoredPrices,
} from '../../../adapters/postgres/fees/fee-plan-rows.ts'
import type { AccountDemands } from '../../../domain/merchants/account-demands.ts'
import type { CountryRule } from '../../../domain/merchants/account-limits.ts'
import type { KeyOperation } from '../../../domain/vault/key-operation.ts'
import type { DangerousOperation, OperatorRequestState } from '../domain/operator-request.ts'
import type { ConsoleTx, OperatorRequestView } from '../usecases/operators-store.ts'

/** An operation as it is stored: JSON has no whole numbers of this size, so they are text. */
type StoredOperation = { readonly label: string } & (
  | { readonly does: 'disable_merchant'; readonly merchant: string; readonly reason: string }
  | {
      readonly does: 'raise_limit'
      readonly account: string
      readonly currency: string
      readonly payment: string | null
      readonly day: string | null
    }
  | {
      readonly does: 'open_countries'
      readonly account: string
      readonly countries: CountryRule | null
    }
  | {
      readonly does: 'relax_demands'
      readonly account: string
      readonly demands: AccountDemands
    }
  | {
      readonly does: 'set_fees'
      readonly merchant: string
      readonly startsOn: string
      readonly prices: StoredPrices
    }
  | { readonly does: 'set_role'; readonly operator: string; readonly role: ConsoleRole }
  | { readonly does: 'reset_operator'; readonly operator: string }
  | KeyOperation
)

type RequestTx = Pick<ConsoleTx, 'expireRequests' | 'insertRequest' | 'lockRequest' | 'endRequest'>

/** Statements on requests that wait for a second operator. */
export function requestTx(client: pg.ClientBase): RequestTx {
  return {
    async expireRequests() {
      await client.query(
        `update operator_requests set state = 'expired', decided_at = now()
          where state = 'open' and expires_at <= now()`,
      )
    },

    async insertRequest(request) {
      const { operation, subject, label, seen, reason } = request
      const { rows } = await client.query<{ id: string }>(
        `insert into operator_requests (wanted, subject, seen, reason, asked_by, asked_session)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (subject) where state = 'open' do nothing returning id`,
        [
          JSON.stringify(storedOf(operation, label)),
          subject,
          seen,
          reason,
          request.requestedBy,
          request.requesterSession,
        ],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].id)
    },

    async lockRequest(id) {
      await client.query('select from operator_requests where id = $1 for no key update', [id])
      const { rows } = await client.query<{
        wanted: StoredOperation
        subject: string
        seen: string
        state: OperatorRequestState
        asked_by: string
        asked_session: string
        over: boolean
      }>(
        `select wanted, subject, seen, state, asked_by, asked_session, expires_at <= now() as over
           from operator_requests where id = $1`,
        [id],
      )
      const [row] = rows
      if (row === undefined) return null
      const { subject, seen, state, over: isOver } = row
      const requestedBy = BigInt(row.asked_by)
      const requesterSession = BigInt(row.asked_session)
      const operation = operationOf(row.wanted)
      return { id, operation, subject, seen, state, requestedBy, requesterSession, isOver }
    },

    async endRequest(id, state, by) {
      await client.query(
        `update operator_requests
            set state = $2, decided_by = $3, decided_session = $4, decided_at = now()
          where id = $1`,
        [id, state, by?.id ?? null, by?.sessionId ?? null],
      )
    },
  }
}

/** Open requests first, then the newest. One that is too old is shown as expired. */
export async function listRequests(pool: pg.Pool): Promise<readonly OperatorRequestView[]> {
  const { rows } = await pool.query<{
    id: string
    wanted: StoredOperation
    subject: string
    reason: string
    state: OperatorRequestState
    asked_by: string
    asked_name: string
    asked_email: string
    asked_at: Date
    expires_at: Date
    decided_name: string | null
    decided_at: Date | null
  }>(
    `select r.id, r.wanted, r.subject, r.reason,
            case when r.state = 'open' and r.expires_at <= now() then 'expired' else r.state end
              as state,
            r.asked_by, a.name as asked_name, a.email as asked_email, r.asked_at, r.expires_at,
            d.name as decided_name, r.decided_at
       from operator_requests r
       join operators a on a.id = r.asked_by
       left join operators d on d.id = r.decided_by
      order by (r.state = 'open' and r.expires_at > now()) desc, r.id desc limit 100`,
  )
  return rows.map((row) => ({
    id: BigInt(row.id),
    operation: operationOf(row.wanted),
    subject: row.subject,
    label: row.wanted.label,
    reason: row.reason,
    state: row.state,
    requestedBy: { id: BigInt(row.asked_by), name: row.asked_name, email: row.asked_email },
    requestedAt: row.asked_at,
    expiresAt: row.expires_at,
    decidedBy: row.decided_name,
    decidedAt: row.decided_at,
  }))
}

function storedOf(operation: DangerousOperation, label: string): StoredOperation {
  const text = (minor: bigint | null): string | null => minor?.toString() ?? null
  switch (operation.does) {
    case 'disable_merchant': {
      const { does, merchantId, reason } = operation
      return { does, label, merchant: merchantId.toString(), reason }
    }
    case 'raise_limit': {
      const { does, accountId, currency, paymentMinor, dayMinor } = operation
      const limit = { payment: text(paymentMinor), day: text(dayMinor) }
      return { does, label, account: accountId.toString(), currency, ...limit }
    }
    case 'open_countries': {
      const { does, accountId, countries } = operation
      return { does, label, account: accountId.toString(), countries }
    }
    case 'relax_demands': {
      const { does, accountId, demands } = operation
      return { does, label, account: accountId.toString(), demands }
    }
    case 'set_fees': {
      const { does, merchantId, plan } = operation
      const { startsOn } = plan
      return { does, label, merchant: merchantId.toString(), startsOn, prices: storedPrices(plan) }
    }
    case 'set_role': {
      const { does, operatorId, role } = operation
      return { does, label, operator: operatorId.toString(), role }
    }
    case 'reset_operator':
      return { does: operation.does, label, operator: operation.operatorId.toString() }
    case 'destroy_key':
    case 'replace_kek':
    case 'export_vault':
      return { ...operation, label }
  }
}

function operationOf(stored: StoredOperation): DangerousOperation {
  const minor = (text: string | null): bigint | null => (text === null ? null : BigInt(text))
  switch (stored.does) {
    case 'disable_merchant': {
      const { does, merchant, reason } = stored
      return { does, merchantId: BigInt(merchant), reason }
    }
    case 'raise_limit': {
      const { does, account, currency, payment, day } = stored
      const limit = { paymentMinor: minor(payment), dayMinor: minor(day) }
      return { does, accountId: BigInt(account), currency, ...limit }
    }
    case 'open_countries': {
      const { does, account, countries } = stored
      return { does, accountId: BigInt(account), countries }
    }
    case 'relax_demands': {
      const { does, account, demands } = stored
      return { does, accountId: BigInt(account), demands }
    }
    case 'set_fees': {
      const { does, merchant, startsOn, prices } = stored
      return { does, merchantId: BigInt(merchant), plan: planOf(startsOn, prices) }
    }
    case 'set_role':
      return { does: stored.does, operatorId: BigInt(stored.operator), role: stored.role }
    case 'reset_operator':
      return { does: stored.does, operatorId: BigInt(stored.operator) }
    case 'destroy_key':
      return { does: stored.does, keyId: stored.keyId, unreadable: stored.unreadable }
    case 'replace_kek':
      return { does: stored.does, to: stored.to }
    case 'export_vault':
      return { does: stored.does, keyName: stored.keyName }
  }
}
