import type { ConsoleRight, ConsoleRole } from '@tollgate/portal-contract/console-rights'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { OpenSession } from '../../shell/usecases/portal-user.ts'
import type { AuditNames, SignInUser } from '../../shell/usecases/sign-in-ports.ts'

/** An operator of the gateway with a sign-in to the console. */
export interface ConsoleOperator extends SignInUser {
  readonly role: ConsoleRole
}

/** A session at the console that is open. */
export interface ConsoleSession extends OpenSession {
  readonly operator: ConsoleOperator
}

/** The data that the console needs before it shows anything. */
export interface ConsoleView {
  readonly next: null
  readonly operator: ConsoleOperator
  readonly rights: readonly ConsoleRight[]
  readonly csrfToken: string
}

/** The name of an operator at the console, in the audit log. */
export function consoleActor({ email }: Pick<ConsoleOperator, 'email'>): string {
  return `console:${email}`
}

/** How the audit log calls an operator to whom something is done. */
export function operatorObject({ email }: Pick<ConsoleOperator, 'email'>): string {
  return `operator ${email}`
}

/** How the audit log names operators and their sign-ins. */
export const OPERATOR_NAMES: AuditNames<ConsoleOperator> = {
  entry: (operator, operation, address, details) => ({
    actor: consoleActor(operator),
    operation: `operator.${operation}`,
    object: operatorObject(operator),
    address,
    result: 'done',
    details,
  }),
}

/** The author of an operation: an operator at the console, or a command. */
export interface ConsoleRequester {
  /** As the audit log names them. */
  readonly actor: string
  readonly address: string
  /** Null for a command, which needs no second operator. */
  readonly operator: { readonly id: bigint; readonly sessionId: bigint } | null
}

/** The author of an operation that is done in a session. */
export function requesterOf(
  { id, operator }: ConsoleSession,
  address: string,
): ConsoleRequester & { readonly operator: NonNullable<ConsoleRequester['operator']> } {
  return { actor: consoleActor(operator), address, operator: { id: operator.id, sessionId: id } }
}

/** An entry about an operator. */
export function operatorEntry(
  { actor, address }: Pick<ConsoleRequester, 'actor' | 'address'>,
  operator: Pick<ConsoleOperator, 'email'>,
  operation: AuditEntry['operation'],
  details: NonNullable<AuditEntry['details']>,
): AuditEntry {
  return { actor, operation, object: operatorObject(operator), address, result: 'done', details }
}
