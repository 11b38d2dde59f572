import { RIGHTS, ROLES, type Role } from '@tollgate/portal-contract/rights'
import { z } from 'zod'
import { findCurrency } from '../../../domain/currency.ts'
import type { PortalFoundation } from '../../../wiring/portal.ts'
import { idOf } from '../../shell/ids.ts'
import {
  orFault,
  portalRoute,
  type PortalCall,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import { personActor } from '../../shell/usecases/person.ts'
import type { LinkAnswer, PeopleAnswer, RolesAnswer } from '../usecases/people-answers.ts'
import type { Doer, NewLink } from '../usecases/people.ts'
import { wireAccount } from './account-routes.ts'
import { wireAuditLog } from './audit-routes.ts'

const ROLE = z.enum(Object.keys(ROLES) as [Role, ...Role[]])
const REFUND_LIMIT = z
  .strictObject({
    minor: z
      .string()
      .regex(/^\d{1,15}$/, 'expected a whole number of minor units')
      .transform(BigInt),
    currency: z
      .string()
      .refine((code) => findCurrency(code) !== null, 'expected a currency such as EUR'),
  })
  .nullable()
const NEW_PERSON = z.strictObject({
  email: z.string().trim().toLowerCase().max(254),
  name: z.string().trim().max(100),
  role: ROLE,
  refundLimit: REFUND_LIMIT,
})
const CHANGES = z.strictObject({ role: ROLE.optional(), refundLimit: REFUND_LIMIT.optional() })

/** Who works here, what each role may do, one's own account, and the audit log. */
export function wirePeople(foundation: PortalFoundation): readonly PortalRoute[] {
  const { door, config } = foundation
  const { people } = door
  const linkAnswer = ({ token, expiresAt }: NewLink): LinkAnswer => ({
    // Behind the #, so that no server and no log along the way gets to see it.
    address: `${config.publicUrl}/portal/invitation#${token}`,
    expiresAt,
  })

  return [
    portalRoute({
      method: 'GET',
      path: '/people',
      right: 'people.see',
      async handle({ person }): Promise<PeopleAnswer> {
        return { people: await people.list(person.merchantId) }
      },
    }),
    portalRoute({
      method: 'GET',
      path: '/roles',
      right: null,
      handle: () =>
        Promise.resolve<RolesAnswer>({
          roles: (Object.keys(ROLES) as Role[]).map((role) => ({ role, ...ROLES[role] })),
          rights: Object.entries(RIGHTS).map(([right, text]) => ({ right, text })),
        }),
    }),
    portalRoute({
      method: 'POST',
      path: '/people',
      right: 'people.change',
      body: NEW_PERSON,
      async handle(call) {
        const { id, link } = orFault(
          await people.invite(doerOf(call), call.person.merchantId, call.body),
        )
        return { id, link: linkAnswer(link) }
      },
    }),
    portalRoute({
      method: 'PUT',
      path: '/people/:id',
      right: 'people.change',
      body: CHANGES,
      async handle(call) {
        const { role, refundLimit } = call.body
        const to = { ...(role && { role }), ...(refundLimit !== undefined && { refundLimit }) }
        orFault(await people.change(doerOf(call), idOf(call.params['id'], 'person'), to))
        return { done: true }
      },
    }),
    ...([true, false] as const).map((active) =>
      portalRoute({
        method: 'POST',
        path: `/people/:id/${active ? 'enable' : 'disable'}`,
        right: 'people.change',
        async handle(call) {
          orFault(await people.setActive(doerOf(call), idOf(call.params['id'], 'person'), active))
          return { done: true }
        },
      }),
    ),
    portalRoute({
      method: 'POST',
      path: '/people/:id/reset',
      right: 'people.change',
      async handle(call) {
        const { link } = orFault(
          await people.reset(doerOf(call), idOf(call.params['id'], 'person')),
        )
        return { link: linkAnswer(link) }
      },
    }),
    ...wireAccount(foundation),
    ...wireAuditLog(foundation),
  ]
}

function doerOf({ person, address }: PortalCall<unknown, unknown>): Doer {
  return { actor: personActor(person), address, person }
}
