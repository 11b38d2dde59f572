import { dayAfter, startOfDay } from '@tollgate/kernel/time-zone'
import { memberships } from '@tollgate/portal-contract/routes/customers'
import { isDay } from '@tollgate/portal-contract/search-days'
import { z } from 'zod'
import type { Site } from '../../../usecases/merchants/merchant-directory.ts'
import { ID, idOf } from '../../shell/ids.ts'
import { implement, notFound, PortalFault, type PortalRoute } from '../../shell/portal-route.ts'
import type {
  KeyedMembershipRequest,
  MembershipRequestResult,
} from '../usecases/change-membership.ts'
import { membershipView } from '../usecases/membership-view.ts'
import type { MembershipBook } from '../usecases/memberships.ts'
import { forecastRenewals } from '../usecases/renewal-forecast.ts'
import { requesterOf } from './customers-routes.ts'

const PAGE = 50

const STATE = z.enum(['active', 'past_due', 'cancel_scheduled', 'cancelled', 'ended'])
const DAY = z
  .string()
  .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/, { error: 'expected a day such as 2026-11-30' })
  .refine(isDay, { error: 'this day does not exist' })

const LIST = z.strictObject({
  site: ID.optional(),
  /** Several with commas between. */
  states: z
    .string()
    .transform((text) => text.split(','))
    .pipe(z.array(STATE))
    .optional(),
  product: z.string().max(64).optional(),
  customer: ID.optional(),
  /** Days of the merchant's zone, both included. */
  from: DAY.optional(),
  until: DAY.optional(),
  order: z.enum(['newest', 'due']).optional(),
  afterAt: z.iso.datetime().optional(),
  after: ID.optional(),
})

const REQUEST = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('cancel'), when: z.enum(['now', 'at_rebill']) }),
  z.strictObject({ kind: z.literal('product'), productId: z.string().min(1).max(64) }),
  z.strictObject({ kind: z.literal('card'), cardId: ID }),
  z.strictObject({ kind: z.literal('retry') }),
])

export interface MembershipsDeps {
  readonly book: MembershipBook
  readonly change: (request: KeyedMembershipRequest) => Promise<MembershipRequestResult>
  readonly readSite: (merchantId: bigint, siteId: bigint) => Promise<Site | null>
  readonly sitesOf: (merchantId: bigint) => Promise<readonly bigint[]>
}

/**
 * Memberships: lists, one with its history, what is expected of them, and what portal users do to
 * them.
 */
export function membershipsRoutes(deps: MembershipsDeps): readonly PortalRoute[] {
  const { book } = deps
  const requireMembership = async (merchantId: bigint, text: string | undefined) => {
    const record = await book.read(merchantId, idOf(text, 'membership'))
    const site = record && (await deps.readSite(merchantId, record.stored.siteId))
    if (record === null || site === null) throw notFound('membership')
    return { record, site }
  }
  return [
    implement(memberships.list, {
      query: LIST,
      async handle({ portalUser: { merchantId }, session: { timeZone }, query }) {
        const { site, states, product, customer, from, until, afterAt, after } = query
        const order = query.order ?? (from !== undefined || until !== undefined ? 'due' : 'newest')
        if (order === 'due' && after !== undefined && afterAt === undefined) {
          throw new PortalFault(
            400,
            'invalid',
            'The next page of a list sorted by date needs a date.',
            'afterAt',
          )
        }
        return book.list(
          {
            merchantId,
            siteId: site ?? null,
            states: states ?? [],
            product: product ?? null,
            customerId: customer ?? null,
            dueFrom: from === undefined ? null : startOfDay(timeZone, from),
            dueUntil: until === undefined ? null : startOfDay(timeZone, dayAfter(until, 1)),
            order,
            after:
              after === undefined
                ? null
                : { id: after, at: afterAt === undefined ? null : new Date(afterAt) },
          },
          PAGE,
        )
      },
    }),
    implement(memberships.read, {
      async handle({ portalUser, params }) {
        const { record, site } = await requireMembership(portalUser.merchantId, params.membershipId)
        const now = site.clock.now()
        const { stored } = record
        const history =
          stored.membership.renewal === null ? null : await book.readCardHistory(stored, now)
        return membershipView(record, now, history)
      },
    }),
    implement(memberships.change, {
      body: z.strictObject({
        key: z.string().regex(/^[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}$/),
        seen: ID,
        request: REQUEST,
      }),
      async handle(call) {
        const { record, site } = await requireMembership(
          call.portalUser.merchantId,
          call.params.membershipId,
        )
        const { stored } = record
        if (site.mode !== stored.mode) {
          throw new PortalFault(
            409,
            'other_mode',
            `The site is in ${site.mode} mode now, and this membership belongs to ${stored.mode} mode. It is suspended and cannot be changed.`,
          )
        }
        const { key, seen, request } = call.body
        const result = await deps.change({
          site,
          membershipId: stored.id,
          key,
          seen,
          requester: requesterOf(call),
          request,
        })
        if (result.kind === 'done') return { what: result.what }
        throw faultOf(result)
      },
    }),
    implement(memberships.forecast, {
      query: z.strictObject({ site: ID.optional() }),
      async handle({ portalUser: { merchantId }, query }) {
        const ids = query.site === undefined ? await deps.sitesOf(merchantId) : [query.site]
        const sites = await Promise.all(ids.map((siteId) => deps.readSite(merchantId, siteId)))
        if (query.site !== undefined && sites[0] === null) throw notFound('site')
        const forecasts = []
        for (const site of sites)
          if (site !== null) forecasts.push(await forecastRenewals(book, site))
        return { sites: forecasts }
      },
    }),
  ]
}

const REFUSALS: Readonly<
  Record<Extract<MembershipRequestResult, { kind: 'refused' }>['refusal'], string>
> = {
  nothing_to_change: 'Choose a change.',
  membership_over: 'The membership has already ended.',
  product_not_rebillable:
    'The membership cannot change to this product. It is inactive, a one-time product, or priced in another currency.',
  not_set_for_rebill:
    'The membership has no next renewal. It ends after its period or its cancellation is scheduled.',
  card_unknown: 'The customer no longer has this card, or its number cannot be read.',
  nothing_to_retry:
    'There is no failed renewal to retry. It is paid, or it is being charged right now.',
  membership_not_found: 'This membership does not exist.',
  key_reused: 'This page already did another operation with the same key. Reload the page.',
}

function faultOf(result: Exclude<MembershipRequestResult, { kind: 'done' }>): PortalFault {
  switch (result.kind) {
    case 'refused':
      return new PortalFault(409, result.refusal, REFUSALS[result.refusal])
    case 'forbidden': {
      const when =
        result.at === null
          ? 'You cannot retry with this card.'
          : `You can retry from ${result.at.toISOString().slice(0, 16).replace('T', ' ')} UTC.`
      return new PortalFault(409, 'forbidden_by_rules', `${result.reason} ${when}`)
    }
    case 'changed': {
      const last = result.by.at(-1)
      const who =
        last === undefined
          ? 'A renewal or an API request changed the membership after you opened it.'
          : `${last.actor.replace('portal:', '')} changed the membership after you opened it, at ${last.at.toISOString().slice(0, 16).replace('T', ' ')} UTC: ${last.what}`
      return new PortalFault(
        409,
        'changed_meanwhile',
        `${who} Nothing was done. Review the membership and try again.`,
      )
    }
  }
}
