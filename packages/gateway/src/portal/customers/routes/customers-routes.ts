import { customers } from '@tollgate/portal-contract/routes/customers'
import { z } from 'zod'
import { holdsCardSecret } from '../../../base/card-masking.ts'
import type { EraseCustomer } from '../../../usecases/retention/erase-customer.ts'
import type { ErasurePreview } from '../../../usecases/retention/retention-store.ts'
import { ID, idOf } from '../../shell/ids.ts'
import {
  notFound,
  PortalFault,
  implement,
  orFault,
  type PortalCall,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import { portalUserActor } from '../../shell/usecases/portal-user.ts'
import type { CustomerBook, CustomerRequester } from '../usecases/customers.ts'

const PAGE = 50
const flag = z.enum(['yes', 'no']).transform((text) => text === 'yes')
/** Shorter ones would find nearly everybody. */
const SHORTEST_SEARCH = 2

const LIST = z.strictObject({
  search: z.string().max(255).optional(),
  site: ID.optional(),
  cards: flag.optional(),
  memberships: flag.optional(),
  before: ID.optional(),
})

const text = (max: number): z.ZodType<string, string> =>
  z
    .string()
    .trim()
    .max(max, { error: `it has more than ${max} characters` })
    .refine((value) => !/[\p{Cc}\p{Cs}]/u.test(value), {
      error: 'it has unprintable characters',
    })
    .refine((value) => !holdsCardSecret(value), {
      error: 'it looks like a card number; remove the digits',
    })
const address = z.strictObject({
  street: text(255),
  street2: text(255),
  city: text(255),
  state: text(255),
  postalCode: text(255),
  country: z
    .string()
    .trim()
    .toUpperCase()
    .refine((value) => value === '' || /^[A-Z]{2,3}$/.test(value), {
      error: 'a country has two letters, such as US',
    }),
  district: text(255),
})
const contact = z.strictObject({
  firstName: text(255),
  lastName: text(255),
  email: text(255).refine((value) => value === '' || /^[^@\s]+@[^@\s]+$/.test(value), {
    error: 'an e-mail address has the form name@example.com',
  }),
  phone: text(255),
  billing: address,
  shipping: address,
})
const seenAddress = z.strictObject({
  street: z.string(),
  street2: z.string(),
  city: z.string(),
  state: z.string(),
  postalCode: z.string(),
  country: z.string(),
  district: z.string(),
})
/** The seen value, of any content: it is only compared. */
const seenContact = z.strictObject({
  firstName: z.string(),
  lastName: z.string(),
  email: z.string(),
  phone: z.string(),
  billing: seenAddress,
  shipping: seenAddress,
})

/** The actor of a call, as the stores of customers and memberships record it. */
export function requesterOf({
  portalUser,
  address: from,
}: Pick<PortalCall<unknown, unknown>, 'portalUser' | 'address'>): CustomerRequester {
  return { merchantId: portalUser.merchantId, actor: portalUserActor(portalUser), address: from }
}

interface CustomersRoutesDeps {
  readonly book: CustomerBook
  readonly previewErasure: (
    merchantId: bigint,
    customerId: bigint,
  ) => Promise<ErasurePreview | null>
  readonly erase: EraseCustomer
}

/** Customers and their cards. */
export function customersRoutes(deps: CustomersRoutesDeps): readonly PortalRoute[] {
  const { book } = deps
  return [
    ...erasureRoutes(deps),
    implement(customers.list, {
      query: LIST,
      async handle({
        portalUser: { merchantId },
        query: { search: typed, site, cards, memberships, before },
      }) {
        const search = typed?.trim() ?? ''
        if (search !== '' && search.length < SHORTEST_SEARCH) {
          throw new PortalFault(
            400,
            'invalid',
            `Enter at least ${SHORTEST_SEARCH} characters.`,
            'search',
          )
        }
        return book.list(
          {
            merchantId,
            search: search === '' ? null : search,
            siteId: site ?? null,
            hasCard: cards ?? null,
            hasMembership: memberships ?? null,
            before: before ?? null,
          },
          PAGE,
        )
      },
    }),
    implement(customers.read, {
      async handle({ portalUser, params }) {
        const found = await book.read(portalUser.merchantId, idOf(params.customerId, 'customer'))
        if (found === null) throw notFound('customer')
        return found
      },
    }),
    implement(customers.changeContact, {
      body: z.strictObject({ seen: seenContact, wanted: contact }),
      async handle(call) {
        const { seen, wanted } = call.body
        const result = await book.changeContact(
          requesterOf(call),
          idOf(call.params.customerId, 'customer'),
          seen,
          wanted,
        )
        if (result.kind === 'not_found') throw notFound('customer')
        if (result.kind === 'erased') {
          throw new PortalFault(
            409,
            'conflict',
            'The personal data of this customer were erased. Nothing was saved.',
          )
        }
        if (result.kind === 'changed') {
          throw new PortalFault(
            409,
            'changed_meanwhile',
            'Another user or a payment changed this customer after you opened the form. Nothing was saved. Reload the page and check the current data.',
          )
        }
        return { contact: result.contact }
      },
    }),
    implement(customers.readRemoval, {
      async handle({ portalUser, params }) {
        const removal = await book.readRemoval(
          portalUser.merchantId,
          idOf(params.customerId, 'customer'),
          idOf(params.cardId, 'card'),
        )
        if (removal === null) throw notFound('card')
        return removal
      },
    }),
    implement(customers.removeCard, {
      async handle(call) {
        const { params } = call
        const result = await book.removeCard(
          requesterOf(call),
          idOf(params.customerId, 'customer'),
          idOf(params.cardId, 'card'),
        )
        if (result.kind === 'not_found') throw notFound('card')
        if (result.kind === 'refused') {
          throw new PortalFault(
            409,
            'card_in_use',
            `The card cannot be deleted. ${result.reasons.join(' ')}`,
          )
        }
        return { done: true }
      },
    }),
  ]
}

function erasureRoutes({
  erase,
  previewErasure,
}: Pick<CustomersRoutesDeps, 'erase' | 'previewErasure'>): readonly PortalRoute[] {
  return [
    implement(customers.readErasure, {
      async handle({ portalUser, params }) {
        const customerId = idOf(params.customerId, 'customer')
        const preview = await previewErasure(portalUser.merchantId, customerId)
        if (preview === null) throw notFound('customer')
        return preview
      },
    }),
    implement(customers.erase, {
      async handle(call) {
        const result = await erase(idOf(call.params.customerId, 'customer'), requesterOf(call))
        if (!result.ok && result.kind === 'missing') throw notFound('customer')
        orFault(result)
        return { done: true }
      },
    }),
  ]
}
