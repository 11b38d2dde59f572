import { dayIn } from '@tollgate/kernel/time-zone'
import type { ListName } from '@tollgate/portal-contract/order-columns'
import { isDay } from '@tollgate/portal-contract/search-days'
import {
  CARD_NUMBER_REFUSED,
  isRefusedSearch,
  readSearch,
} from '@tollgate/portal-contract/search-words'
import { z } from 'zod'
import { ID } from '../../shell/ids.ts'
import { PortalFault } from '../../shell/portal-route.ts'
import type { PortalSession } from '../../shell/usecases/portal-user.ts'
import { chosenDays, chosenMoments, momentsOf } from '../domain/chosen-days.ts'
import { daysInBoth, momentsInBoth, type ListFilter } from '../domain/order-filter.ts'
import type { ListCursor, ListQuestion, OrderLists } from '../usecases/order-list.ts'

const several = z
  .string()
  .max(600)
  .transform((text) => text.split(',').filter((part) => part !== ''))
  .optional()
const decimal = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,4})?$/, 'expected an amount such as 12.50')
  .optional()
const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'expected a day such as 2026-11-21')
  .refine(isDay, 'this day does not exist')
  .optional()
const moment = z.iso
  .datetime({ offset: true })
  .transform((text) => new Date(text))
  .optional()

/** The search of a page's address, as the page sends it on. */
export const QUESTION = z.object({
  q: z.string().max(2_000).optional(),
  status: several,
  action: several,
  brand: several,
  avs: several,
  cvv: several,
  threeDs: several,
  reason: several.transform((codes) => codes?.filter((code) => /^\d{1,4}$/.test(code)).map(Number)),
  batch: ID.optional(),
  site: z.union([z.literal('unclocked'), ID]).optional(),
  account: ID.optional(),
  user: z.string().max(255).optional(),
  currency: several,
  min: decimal,
  max: decimal,
  time: z
    .string()
    .pipe(z.enum(['today', 'yesterday', '7 days', 'this month', 'last month']))
    .optional(),
  from: day,
  to: day,
  since: moment,
  until: moment,
  counted: several,
  settled: z
    .string()
    .regex(/^20\d\d-(0[1-9]|1[0-2])$/, 'expected a month such as 2026-11')
    .optional(),
  customer: ID.optional(),
  card: ID.optional(),
  initiator: several,
  sort: z
    .string()
    .pipe(z.enum(['oldest']))
    .optional(),
  cols: z.string().max(600).optional(),
  after: z
    .string()
    .regex(/^\d{1,16}\.\d{1,18}$/, 'it is not a page of this list')
    .optional(),
})

type Question = z.output<typeof QUESTION>

/** The question of the query, with the search box's text understood. */
export async function readQuestion(
  lists: OrderLists,
  { portalUser, timeZone }: Pick<PortalSession, 'portalUser' | 'timeZone'>,
  name: ListName,
  query: Question,
) {
  const { q = '', user, site } = query
  // Never echoed: a caller that sent it past the page gets the sentence alone.
  if (isRefusedSearch(user ?? '')) throw cardNumber()
  const clockOf = typeof site === 'bigint' ? site : null
  const today = dayIn(timeZone, await lists.timeOf(portalUser.merchantId, clockOf))
  const search = readSearch(q, today)
  if (search.kind === 'card_number') throw cardNumber()
  const sentence = search.kind === 'search' ? search : { days: null, terms: [], whole: null }
  const days = daysInBoth(sentence.days, chosenDays(query, today))
  const question: ListQuestion = {
    merchantId: portalUser.merchantId,
    list: name,
    terms: sentence.terms,
    whole: sentence.whole,
    oldestFirst: query.sort === 'oldest',
    filter: {
      ...narrowed(query),
      within: momentsInBoth(
        days === null ? undefined : momentsOf(days, timeZone),
        chosenMoments(query),
      ),
    },
  }
  return { question, days, today }
}

/** The filters of a list without its times and its search box. */
function narrowed(query: Question): ListFilter {
  const { status, action, brand, avs, cvv, threeDs, reason, batch, site, account, user } = query
  const { currency, min, max, customer, card, initiator, counted, settled } = query
  return {
    status,
    action,
    brand,
    avs,
    cvv,
    threeDs,
    reason,
    batch,
    site,
    account,
    user,
    currency,
    min,
    max,
    customer,
    card,
    initiator,
    counted,
    settled,
  }
}

/** The row behind which a page begins; null for the first page. */
export function cursorOf(text: string | undefined): ListCursor | null {
  const [micros, cursorId] = (text ?? '').split('.')
  return micros === undefined || cursorId === undefined
    ? null
    : { micros: BigInt(micros), id: BigInt(cursorId) }
}

/** A search with a card number in it; the number is not echoed. */
export function cardNumber(): PortalFault {
  return new PortalFault(
    400,
    'card_number',
    CARD_NUMBER_REFUSED.replace('It was not sent anywhere. ', ''),
    'q',
  )
}
