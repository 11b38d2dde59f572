import type { ConsoleRole } from '@tollgate/portal-contract/console-rights'
import type { UserTables } from '../../shell/store/user-tables.ts'
import type { ConsoleOperator } from '../usecases/console-operator.ts'

export const OPERATOR_TABLES: UserTables = {
  users: 'operators',
  sessions: 'operator_sessions',
  invitations: 'operator_invitations',
  recoveryCodes: 'operator_recovery_codes',
  pastPasswords: 'operator_past_passwords',
  userId: 'operator_id',
}

export interface OperatorRow {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: ConsoleRole
}

/** Of `operators p`. */
export const OPERATOR = 'p.id, p.email, p.name, p.role'

export function operatorOf({ id, email, name, role }: OperatorRow): ConsoleOperator {
  return { id: BigInt(id), email, name, role }
}
