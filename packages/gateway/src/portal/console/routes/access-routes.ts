import { consoleAccount as table } from '@tollgate/portal-contract/routes/console'
import { z } from 'zod'
import { Secret } from '../../../base/secret.ts'
import { orFault } from '../../shell/portal-route.ts'
import type { OwnAccess } from '../usecases/own-access.ts'
import { implementConsole, type ConsoleRoute } from './console-route.ts'

const PASSWORD = z
  .string()
  .min(1)
  .max(1024)
  .transform((text) => new Secret(text))

/** The routes of an operator's own access. */
export function accessRoutes(access: OwnAccess): readonly ConsoleRoute[] {
  return [
    implementConsole(table.changePassword, {
      body: z.strictObject({ password: PASSWORD, newPassword: PASSWORD }),
      handle: async (call) =>
        orFault(await access.changePassword(call, call.body.password, call.body.newPassword)),
    }),
    implementConsole(table.beginSecondFactor, {
      async handle(call) {
        const { secret, uri, sealed } = await access.beginSecondFactor(call)
        return { secret: secret.reveal(), uri: uri.reveal(), sealed }
      },
    }),
    implementConsole(table.setSecondFactor, {
      body: z.strictObject({
        sealed: z.string().max(400),
        code: z.string().trim().min(6).max(10),
        password: PASSWORD.nullable(),
      }),
      handle: async (call) => orFault(await access.setSecondFactor(call, call.body)),
    }),
  ]
}
