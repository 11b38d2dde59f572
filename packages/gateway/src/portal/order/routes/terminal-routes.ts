import { terminal } from '@tollgate/portal-contract/routes/order'
import { z } from 'zod'
import { requestMessage, formatTimestamp, sign } from '../../../http/tokens/signature.ts'
import type { TokenSite } from '../../../usecases/card-tokens/token-site.ts'
import { KEY } from '../../shell/ids.ts'
import {
  implement,
  notFound,
  orFault,
  PortalFault,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import type { PaymentDone } from '../usecases/operation-answer.ts'
import type { PayInPortal } from '../usecases/pay.ts'
import type { SavedCardFound, TerminalSite } from '../usecases/terminal.ts'
import { BIG } from './order-routes.ts'

export interface TerminalRoutesDeps {
  readonly pay: PayInPortal
  readonly sites: (merchantId: bigint) => Promise<readonly TerminalSite[]>
  readonly findCards: (
    merchantId: bigint,
    siteId: bigint,
    request: { readonly text: string } | { readonly customerId: bigint },
  ) => Promise<readonly SavedCardFound[]>
  readonly findTokenSite: (siteId: bigint) => Promise<TokenSite | null>
  /** The machine's: a signature's time is no matter for a test clock. */
  readonly now: () => Date
  /** 32 letters and digits, never the same. */
  readonly uniqueId: () => string
}

const TEXT = z.string().trim().max(255).default('')
const CARD = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('token'),
    token: z.string().regex(/^[0-9A-Fa-f]{40}$/, 'expected a card token'),
    last4: z.string().regex(/^\d{4}$/),
    expiryMonth: z.int().min(1).max(12),
    expiryYear: z.int().min(2000).max(2099),
  }),
  z.strictObject({ kind: z.literal('saved'), customerId: BIG, paymentMethodId: BIG }),
])
const PAYMENT = z.strictObject({
  key: KEY,
  does: z.enum(['sale', 'authorization', 'check']),
  siteId: BIG,
  accountId: BIG.nullable().default(null),
  currency: z.string().length(3),
  lines: z
    .array(
      z.strictObject({
        product: TEXT,
        count: z.int().min(1).max(99).default(1),
        amount: z.string().max(40),
      }),
    )
    .max(20),
  card: CARD,
  customer: z.strictObject({ firstName: TEXT, lastName: TEXT, email: TEXT, phone: TEXT }),
  billing: z.strictObject({
    street: TEXT,
    street2: TEXT,
    city: TEXT,
    state: TEXT,
    postalCode: TEXT,
    country: z.string().trim().max(2).default(''),
  }),
  reference: z.string().trim().max(64).default(''),
  duplicateOk: z.boolean().default(false),
})

/**
 * Payments that portal users take by hand. The card itself never comes here: only a token of it.
 */
export function terminalRoutes(deps: TerminalRoutesDeps): readonly PortalRoute[] {
  return [
    implement(terminal.sites, {
      handle: ({ portalUser }) => deps.sites(portalUser.merchantId),
    }),
    implement(terminal.cards, {
      query: z.union([
        z.object({ site: BIG, customer: BIG }),
        z.object({
          site: BIG,
          text: z.string().trim().min(2, 'expected at least two characters').max(200),
        }),
      ]),
      handle: ({ portalUser, query }) =>
        deps.findCards(
          portalUser.merchantId,
          query.site,
          'customer' in query ? { customerId: query.customer } : { text: query.text },
        ),
    }),
    implement(terminal.sign, {
      body: z.strictObject({ siteId: BIG }),
      handle: async ({ portalUser, body }) => {
        const site = await deps.findTokenSite(body.siteId)
        const theirs = (await deps.sites(portalUser.merchantId)).some(
          ({ id }) => id === body.siteId,
        )
        if (!theirs) throw notFound('site')
        const [key] = site?.keys ?? []
        if (key === undefined) {
          throw new PortalFault(
            409,
            'no_token_key',
            "The site has no token key, so you cannot enter a card. An owner or admin can create one in the site's settings.",
          )
        }
        const timestamp = formatTimestamp(deps.now())
        const uniqueId = deps.uniqueId()
        return {
          timestamp,
          uniqueId,
          signature: sign(key, requestMessage(timestamp, uniqueId, body.siteId.toString())),
        }
      },
    }),
    implement(terminal.pay, {
      body: PAYMENT,
      handle: async ({ portalUser, address, body }) => {
        const { does, lines, ...rest } = body
        const answer = await deps.pay(portalUser, address, {
          ...rest,
          billing: { ...rest.billing, country: rest.billing.country.toUpperCase() },
          operation: does === 'sale' ? 'sale' : 'authorization',
          lines:
            does === 'check' || lines.length === 0
              ? [{ product: '', count: 1, amount: '0' }]
              : lines,
          source: null,
        })
        return orFault<PaymentDone>(answer).outcome
      },
    }),
  ]
}
