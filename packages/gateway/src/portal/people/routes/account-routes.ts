import { account as table } from '@tollgate/portal-contract/routes/people'
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
      handle: (act) => account.view(act),
    }),
    implement(table.setName, {
      body: z.strictObject({ name: z.string().trim() }),
      handle: async (act) => orFault(await account.setName(act, act.body.name)),
    }),
    implement(table.changePassword, {
      body: z.strictObject({ password: PASSWORD, newPassword: PASSWORD }),
      handle: async (act) =>
        orFault(await account.changePassword(act, act.body.password, act.body.newPassword)),
    }),
    implement(table.beginSecondFactor, {
      handle(act) {
        const { secret, uri, sealed } = account.beginSecondFactor(act)
        return Promise.resolve({
          secret: secret.reveal(),
          uri: uri.reveal(),
          sealed,
        })
      },
    }),
    implement(table.setSecondFactor, {
      body: z.strictObject({
        sealed: z.string().max(400),
        code: CODE,
        password: PASSWORD.nullable(),
      }),
      handle: async (act) => orFault(await account.setSecondFactor(act, act.body)),
    }),
    implement(table.removeSecondFactor, {
      body: z.strictObject({ password: PASSWORD }),
      handle: async (act) => orFault(await account.removeSecondFactor(act, act.body.password)),
    }),
    implement(table.makeRecoveryCodes, {
      body: z.strictObject({ password: PASSWORD }),
      handle: async (act) => orFault(await account.makeRecoveryCodes(act, act.body.password)),
    }),
    implement(table.endSession, {
      handle: async (act) => orFault(await account.endSession(act, idOf(act.params.id, 'session'))),
    }),
    implement(table.endOtherSessions, {
      handle: async (act) => orFault(await account.endOtherSessions(act)),
    }),
  ]
}
