import { dayIn } from '@tollgate/kernel/time-zone'
import { DEFAULT_COLUMNS, type ListName } from '@tollgate/portal-contract/order-columns'
import { orders } from '@tollgate/portal-contract/routes/orders'
import { isDay } from '@tollgate/portal-contract/search-days'
import {
  CARD_NUMBER_REFUSED,
  isRefusedSearch,
  readSearch,
} from '@tollgate/portal-contract/search-words'
import { z } from 'zod'
import { ID, idOf } from '../../shell/ids.ts'
import {
  Download,
  notFound,
  PortalFault,
  implement,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import type { PortalSession } from '../../shell/usecases/portal-user.ts'
import { csvHead, csvLine, type FileForm } from '../../words/csv.ts'
import { chosenDays, momentsOf } from '../domain/chosen-days.ts'
import { daysInBoth } from '../domain/order-filter.ts'
import type { ListCursor, ListQuestion, OrderLists } from '../usecases/order-list.ts'
import { TOO_MANY_VIEWS, type OrderViews } from '../usecases/order-views.ts'
import { chosenColumns, fileColumns } from './requested-columns.ts'

const PAGE = 50

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
const list = z.enum(['orders', 'transactions'])

/** The search of a page's address, as the page sends it on. */
const QUESTION = z.object({
  q: z.string().max(2_000).optional(),
  status: several,
  action: several,
  brand: several,
  avs: several,
  cvv: several,
  threeDs: several,
  reason: several.transform((codes) => codes?.filter((code) => /^\d{1,4}$/.test(code)).map(Number)),
  batch: ID.optional(),
  site: ID.optional(),
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

const VIEW = z.strictObject({
  list,
  name: z.string().trim().min(1).max(80),
  search: z.string().max(4_000),
  shared: z.boolean(),
})

export interface OrdersRoutesDeps {
  readonly lists: OrderLists
  readonly views: OrderViews
}

/**
 * The lists of orders and transactions: pages, sums, files, and how portal users like to see them.
 */
export function ordersRoutes(deps: OrdersRoutesDeps): readonly PortalRoute[] {
  const { lists } = deps
  return [...listRoutes('orders', lists), ...listRoutes('transactions', lists), ...viewRoutes(deps)]
}

function viewRoutes({ lists, views }: OrdersRoutesDeps): readonly PortalRoute[] {
  return [
    implement(orders.settings, {
      async handle({ portalUser, params }) {
        const of = listOf(params)
        const [saved, columns, choices] = await Promise.all([
          views.read(portalUser, of),
          views.readColumns(portalUser, of),
          lists.choices(portalUser.merchantId),
        ])
        return { views: saved, columns: columns ?? DEFAULT_COLUMNS[of], choices }
      },
    }),
    implement(orders.saveView, {
      body: VIEW,
      async handle({ portalUser, body, address }) {
        if (isRefusedSearch(searchText(body.search)) || isRefusedSearch(body.name))
          throw cardNumber()
        const saved = await views.save(portalUser, body, address)
        if (typeof saved === 'string') {
          throw new PortalFault(409, 'too_many_views', TOO_MANY_VIEWS[saved], 'name')
        }
        return { id: saved }
      },
    }),
    implement(orders.removeView, {
      async handle({ portalUser, params, address }) {
        if (!(await views.remove(portalUser, idOf(params.id, 'view of yours'), address)))
          throw notFound('view of yours')
        return { done: true }
      },
    }),
    implement(orders.chooseColumns, {
      body: z.strictObject({ columns: z.array(z.string().max(40)).max(60) }),
      async handle({ portalUser, params, body }) {
        const columns = chosenColumns(listOf(params), body.columns)
        await views.chooseColumns(portalUser, listOf(params), columns)
        return { columns }
      },
    }),
  ]
}

function listRoutes(name: ListName, lists: OrderLists): readonly PortalRoute[] {
  const routes = orders.lists[name]
  return [
    implement(routes.page, {
      query: QUESTION,
      async handle({ session, query }) {
        const { question, days } = await readQuestion(lists, session, name, query)
        const { rows, next, lookedUntil, readings } = await lists.page(
          question,
          cursorOf(query.after),
          PAGE,
        )
        return {
          rows,
          next: next === null ? null : `${next.micros}.${next.id}`,
          lookedUntil,
          readings,
          days,
        }
      },
    }),
    implement(routes.totals, {
      query: QUESTION,
      async handle({ session, query }) {
        const { question } = await readQuestion(lists, session, name, query)
        return { totals: await lists.totals(question) }
      },
    }),
    implement(routes.csv, {
      query: QUESTION,
      async handle({ session, query }) {
        const { question, today } = await readQuestion(lists, session, name, query)
        const columns = fileColumns(name, query.cols)
        return new Download(
          `${name}-${today}.csv`,
          'text/csv; charset=utf-8',
          csvText(lists, question, { columns, timeZone: session.timeZone }),
        )
      },
    }),
  ]
}

/** Made while it is sent: a slow reader slows the reading of the database down. */
async function* csvText(
  lists: OrderLists,
  question: ListQuestion,
  how: FileForm,
): AsyncIterable<string> {
  yield csvHead(question.list, how)
  for await (const rows of lists.pieces(question))
    yield rows.map((row) => csvLine(row, how)).join('')
}

/** The question of the query, with the search box's text understood. */
async function readQuestion(
  lists: OrderLists,
  { portalUser, timeZone }: Pick<PortalSession, 'portalUser' | 'timeZone'>,
  name: ListName,
  query: Question,
) {
  const { q = '', user, site = null } = query
  // Never echoed: a caller that sent it past the page gets the sentence alone.
  if (isRefusedSearch(user ?? '')) throw cardNumber()
  const today = dayIn(timeZone, await lists.timeOf(portalUser.merchantId, site))
  const search = readSearch(q, today)
  if (search.kind === 'card_number') throw cardNumber()
  const sentence = search.kind === 'search' ? search : { days: null, terms: [], whole: null }
  const days = daysInBoth(sentence.days, chosenDays(query, today))
  const {
    status,
    action,
    brand,
    avs,
    cvv,
    threeDs,
    reason,
    batch,
    account,
    currency,
    min,
    max,
    customer,
    card,
    initiator,
  } = query
  const question: ListQuestion = {
    merchantId: portalUser.merchantId,
    list: name,
    terms: sentence.terms,
    whole: sentence.whole,
    oldestFirst: query.sort === 'oldest',
    filter: {
      status,
      action,
      brand,
      avs,
      cvv,
      threeDs,
      reason,
      batch,
      account,
      currency,
      min,
      max,
      customer,
      card,
      initiator,
      user,
      site: site ?? undefined,
      within: days === null ? undefined : momentsOf(days, timeZone),
    },
  }
  return { question, days, today }
}

function cursorOf(text: string | undefined): ListCursor | null {
  const [micros, cursorId] = (text ?? '').split('.')
  return micros === undefined || cursorId === undefined
    ? null
    : { micros: BigInt(micros), id: BigInt(cursorId) }
}

function listOf({ list: name = '' }: Readonly<Record<string, string>>): ListName {
  const read = list.safeParse(name)
  if (!read.success) throw notFound('list')
  return read.data
}

/** The names and values of an address's search, as they were before they were written into it. */
function searchText(search: string): string {
  return [...new URLSearchParams(search)].flat().join('\n')
}

function cardNumber(): PortalFault {
  return new PortalFault(
    400,
    'card_number',
    CARD_NUMBER_REFUSED.replace('It was not sent anywhere. ', ''),
    'q',
  )
}
