import { account as table } from '@tollgate/portal-contract/routes/portal-users'
import { z } from 'zod'
import { Secret } from '../../../base/secret.ts'
import { idOf } from '../../shell/ids.ts'
import { implement, orFault, type PortalRoute } from '../../shell/portal-route.ts'
import type { Account } from '../usecases/account.ts'

const PASSWORD = z
  .string()
  .min(1)
  .max(1024)
  .transform((text) => new Secret(text))
const CODE = z.string().trim().min(6).max(10)

/** The routes of a user's own account. */
export function accountRoutes(account: Account): readonly PortalRoute[] {
  return [
    implement(table.read, {
      handle: (operation) => account.view(operation),
    }),
    implement(table.setName, {
      body: z.strictObject({ name: z.string().trim() }),
      handle: async (operation) => orFault(await account.setName(operation, operation.body.name)),
    }),
    implement(table.changePassword, {
      body: z.strictObject({ password: PASSWORD, newPassword: PASSWORD }),
      handle: async (operation) =>
        orFault(
          await account.changePassword(
            operation,
            operation.body.password,
            operation.body.newPassword,
          ),
        ),
    }),
    implement(table.beginSecondFactor, {
      async handle(operation) {
        const { secret, uri, sealed } = await account.beginSecondFactor(operation)
        return {
          secret: secret.reveal(),
          uri: uri.reveal(),
          sealed,
        }
      },
    }),
    implement(table.setSecondFactor, {
      body: z.strictObject({
        sealed: z.string().max(400),
        code: CODE,
        password: PASSWORD.nullable(),
      }),
      handle: async (operation) =>
        orFault(await account.setSecondFactor(operation, operation.body)),
    }),
    implement(table.removeSecondFactor, {
      body: z.strictObject({ password: PASSWORD }),
      handle: async (operation) =>
        orFault(await account.removeSecondFactor(operation, operation.body.password)),
    }),
    implement(table.makeRecoveryCodes, {
      body: z.strictObject({ password: PASSWORD }),
      handle: async (operation) =>
        orFault(await account.makeRecoveryCodes(operation, operation.body.password)),
    }),
    implement(table.endSession, {
      handle: async (operation) =>
        orFault(await account.endSession(operation, idOf(operation.params.id, 'session'))),
    }),
    implement(table.endOtherSessions, {
      handle: async (operation) => orFault(await account.endOtherSessions(operation)),
    }),
  ]
}
