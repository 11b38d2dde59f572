import { RIGHTS, ROLES, type Role } from '@tollgate/portal-contract/rights'
import { people } from '@tollgate/portal-contract/routes/people'
import { z } from 'zod'
import { findCurrency } from '../../../domain/currency.ts'
import { idOf } from '../../shell/ids.ts'
import { implement, orFault, type PortalCall, type PortalRoute } from '../../shell/portal-route.ts'
import { personActor } from '../../shell/usecases/person.ts'
import type { Doer, NewLink, PeopleAdmin } from '../usecases/people.ts'

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

export interface PeopleRoutesDeps {
  readonly people: PeopleAdmin
  /** The public address of invitation links. */
  readonly publicUrl: string
}

/** The portal users, the rights of each role, the own account, and the audit log. */
export function peopleRoutes({
  people: admin,
  publicUrl,
}: PeopleRoutesDeps): readonly PortalRoute[] {
  const linkAnswer = ({ token, expiresAt }: NewLink) => ({
    // Behind the #, so that no server and no log along the way gets to see it.
    address: `${publicUrl}/portal/invitation#${token}`,
    expiresAt,
  })

  return [
    implement(people.list, {
      async handle({ person }) {
        return { people: await admin.list(person.merchantId) }
      },
    }),
    implement(people.roles, {
      handle: () =>
        Promise.resolve({
          roles: (Object.keys(ROLES) as Role[]).map((role) => ({ role, ...ROLES[role] })),
          rights: Object.entries(RIGHTS).map(([right, text]) => ({ right, text })),
        }),
    }),
    implement(people.invite, {
      body: NEW_PERSON,
      async handle(call) {
        const { id, link } = orFault(
          await admin.invite(doerOf(call), call.person.merchantId, call.body),
        )
        return { id, link: linkAnswer(link) }
      },
    }),
    implement(people.change, {
      body: CHANGES,
      async handle(call) {
        const { role, refundLimit } = call.body
        const to = { ...(role && { role }), ...(refundLimit !== undefined && { refundLimit }) }
        orFault(await admin.change(doerOf(call), idOf(call.params.id, 'person'), to))
        return { done: true }
      },
    }),
    ...[
      { entry: people.enable, active: true },
      { entry: people.disable, active: false },
    ].map(({ entry, active }) =>
      implement(entry, {
        async handle(call) {
          orFault(await admin.setActive(doerOf(call), idOf(call.params.id, 'person'), active))
          return { done: true }
        },
      }),
    ),
    implement(people.reset, {
      async handle(call) {
        const { link } = orFault(await admin.reset(doerOf(call), idOf(call.params.id, 'person')))
        return { link: linkAnswer(link) }
      },
    }),
  ]
}

function doerOf({ person, address }: PortalCall<unknown, unknown>): Doer {
  return { actor: personActor(person), address, person }
}
