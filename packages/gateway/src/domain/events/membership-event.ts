import type { Currency } from '../currency.ts'
import { formatMinor } from '../money.ts'
import type { EventType } from './event-types.ts'
import type { EventActor, EventDraft } from './event.ts'

/** The facts of a membership that never change. */
export interface MembershipFacts {
  readonly membershipId: string
  readonly merchantId: string
  readonly siteId: string
  readonly mode: 'test' | 'live'
  readonly currency: Currency
  readonly customerId: string
  readonly customerReference: string
  /** MBSHP_ID_XTL of the order that began it. */
  readonly reference: string
  /** That order, and its card. */
  readonly orderId: string
  readonly cardId: string
}

/** The details of its change, as `membershipFacts` makes them. */
export type MembershipDetails = Readonly<Record<string, string | number | null>>

const ORIGINS = { api: 'API', portal: 'PORTAL', rebill: 'REBILL' } as const

/** The event of a change of a membership. */
export function membershipEvent(
  type: EventType,
  facts: MembershipFacts,
  details: MembershipDetails,
  actor: EventActor | null,
): EventDraft {
  const { actor: _actor, at, origin, pmt_id: pmtId, price_minor: price, state, ...rest } = details
  return {
    type,
    merchantId: facts.merchantId,
    siteId: facts.siteId,
    mode: facts.mode,
    object: { type: 'membership', id: facts.membershipId },
    at: new Date(String(at)),
    origin: origin === 'portal' || origin === 'rebill' ? ORIGINS[origin] : 'API',
    actor,
    requestId: null,
    data: {
      mbshp_id: facts.membershipId,
      mbshp_id_xtl: facts.reference,
      cust_id: facts.customerId,
      xtl_cust_id: facts.customerReference,
      first_po_id: facts.orderId,
      status: String(state).toUpperCase(),
      amount: formatMinor(BigInt(price ?? 0), facts.currency),
      currency: facts.currency.code,
      pmt_id: pmtId === null || pmtId === undefined ? facts.cardId : String(pmtId),
      ...rest,
    },
  }
}
