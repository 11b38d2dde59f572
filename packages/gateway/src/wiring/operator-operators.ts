import { CONSOLE_ROLES, isConsoleRole } from '@tollgate/portal-contract/console-rights'
import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { invariant } from '../base/invariant.ts'
import { refused, type Result } from '../base/refusal.ts'
import { createOperatorsRecords } from '../portal/console/store/operators-records.ts'
import { createOperatorsAdmin } from '../portal/console/usecases/change-operators.ts'
import type { ConsoleRequester } from '../portal/console/usecases/console-operator.ts'
import type { NewLink } from '../portal/console/usecases/new-link.ts'
import type { OperatorSummary } from '../portal/console/usecases/operators-store.ts'
import { invitationAddress } from '../portal/console/wire.ts'
import { createPortalUsersRecords } from '../portal/users/store/portal-users-records.ts'
import { operatorActor } from './operator-actor.ts'
import { portalUserLinks, type PortalUserLink } from './operator-portal-users.ts'

export type { OperatorSummary } from '../portal/console/usecases/operators-store.ts'

/** Commands on the operators of the console. No second operator is needed for them. */
export interface OperatorsOperator {
  list(): Promise<readonly OperatorSummary[]>
  invite(email: string, role: string, name: string): Promise<Result<PortalUserLink>>
  setRole(email: string, role: string): Promise<Result>
  setActive(email: string, active: boolean): Promise<Result>
  reset(email: string): Promise<Result<PortalUserLink>>
}

/** `consoleUrl`: where operators' browsers reach the console; empty where there is none. */
export function createOperatorsOperator(
  pool: pg.Pool,
  consoleUrl: string,
  idleDays: number,
): OperatorsOperator {
  const operators = createOperatorsAdmin({
    store: createOperatorsRecords(pool, idleDays, (client) =>
      portalUserLinks(client, createPortalUsersRecords(pool, idleDays), idleDays),
    ),
    randomToken: () => randomBytes(32).toString('base64url'),
    digest: (token) => createHash('sha256').update(token).digest(),
  })
  const requester: ConsoleRequester = { actor: operatorActor(), address: '', operator: null }
  const linkOf = ({ token, expiresAt }: NewLink): PortalUserLink => ({
    address: invitationAddress(consoleUrl, token),
    expiresAt,
  })

  async function ofOperator<Done>(
    email: string,
    work: (id: bigint) => Promise<Result<Done>>,
  ): Promise<Result<Done>> {
    const id = await operators.findByEmail(email)
    return id === null
      ? refused('missing', 'This operator does not exist; "tollgate operators" lists them.')
      : work(id)
  }

  return {
    list: () => operators.list(),
    async invite(email, role, name) {
      if (!isConsoleRole(role)) return noSuchRole()
      if (consoleUrl === '') return noConsole()
      const invited = await operators.invite(requester, { email, name, role })
      return invited.ok ? { ok: true, ...linkOf(invited.link) } : invited
    },
    async setRole(email, role) {
      if (!isConsoleRole(role)) return noSuchRole()
      return ofOperator(email, (id) => operators.setRole(requester, id, role))
    },
    setActive: (email, active) =>
      ofOperator(email, (id) => operators.setActive(requester, id, active)),
    async reset(email) {
      if (consoleUrl === '') return noConsole()
      const reset = await ofOperator(email, (id) => operators.reset(requester, id))
      if (!reset.ok) return reset
      invariant(reset.link !== null, 'a reset by a command waits for a second operator')
      return { ok: true, ...linkOf(reset.link) }
    },
  }
}

function noSuchRole(): Result<never> {
  const roles = Object.keys(CONSOLE_ROLES).join(', ')
  return refused('invalid', `There is no such role. There are: ${roles}.`)
}

/** A link would lead nowhere. */
function noConsole(): Result<never> {
  return refused(
    'conflict',
    'There is no console: CONSOLE_PORT is not set. Set it, and restart the gateway.',
  )
}
