import { z } from 'zod'
import { Secret } from '../../../base/secret.ts'
import type { PortalFoundation } from '../../../wiring/portal.ts'
import { idOf } from '../../shell/ids.ts'
import { orFault, portalRoute, type PortalRoute } from '../../shell/portal-route.ts'
import type { NewSecondFactorAnswer } from '../usecases/people-answers.ts'

const PASSWORD = z
  .string()
  .min(1)
  .max(1024)
  .transform((text) => new Secret(text))
const CODE = z.string().trim().min(6).max(10)

/** What everybody does with their own account. */
export function wireAccount({ door }: PortalFoundation): readonly PortalRoute[] {
  const { account } = door
  const own = { right: null } as const
  return [
    portalRoute({ ...own, method: 'GET', path: '/account', handle: (act) => account.view(act) }),
    portalRoute({
      ...own,
      method: 'PUT',
      path: '/account/name',
      body: z.strictObject({ name: z.string().trim() }),
      handle: async (act) => orFault(await account.setName(act, act.body.name)),
    }),
    portalRoute({
      ...own,
      method: 'PUT',
      path: '/account/password',
      onTheWayIn: 'password',
      body: z.strictObject({ password: PASSWORD, newPassword: PASSWORD }),
      handle: async (act) =>
        orFault(await account.changePassword(act, act.body.password, act.body.newPassword)),
    }),
    portalRoute({
      ...own,
      method: 'POST',
      path: '/account/second-factor/begin',
      onTheWayIn: 'second_factor',
      handle(act) {
        const { secret, uri, sealed } = account.beginSecondFactor(act)
        return Promise.resolve<NewSecondFactorAnswer>({
          secret: secret.reveal(),
          uri: uri.reveal(),
          sealed,
        })
      },
    }),
    portalRoute({
      ...own,
      method: 'POST',
      path: '/account/second-factor',
      onTheWayIn: 'second_factor',
      body: z.strictObject({
        sealed: z.string().max(400),
        code: CODE,
        password: PASSWORD.nullable(),
      }),
      handle: async (act) => orFault(await account.setSecondFactor(act, act.body)),
    }),
    portalRoute({
      ...own,
      method: 'POST',
      path: '/account/second-factor/remove',
      body: z.strictObject({ password: PASSWORD }),
      handle: async (act) => orFault(await account.removeSecondFactor(act, act.body.password)),
    }),
    portalRoute({
      ...own,
      method: 'POST',
      path: '/account/recovery-codes',
      body: z.strictObject({ password: PASSWORD }),
      handle: async (act) => orFault(await account.makeRecoveryCodes(act, act.body.password)),
    }),
    portalRoute({
      ...own,
      method: 'DELETE',
      path: '/account/sessions/:id',
      handle: async (act) =>
        orFault(await account.endSession(act, idOf(act.params['id'], 'session'))),
    }),
    portalRoute({
      ...own,
      method: 'POST',
      path: '/account/sessions/end-others',
      handle: async (act) => orFault(await account.endOtherSessions(act)),
    }),
  ]
}
