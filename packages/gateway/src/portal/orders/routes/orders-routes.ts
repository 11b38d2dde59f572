import { DEFAULT_COLUMNS, type ListName } from '@tollgate/portal-contract/order-columns'
import { orders } from '@tollgate/portal-contract/routes/orders'
import { isRefusedSearch } from '@tollgate/portal-contract/search-words'
import { z } from 'zod'
import { idOf } from '../../shell/ids.ts'
import {
  Download,
  notFound,
  PortalFault,
  implement,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import { csvHead, csvLine, type FileForm } from '../../words/csv.ts'
import type { ListQuestion, OrderLists } from '../usecases/order-list.ts'
import { TOO_MANY_VIEWS, type OrderViews } from '../usecases/order-views.ts'
import { cardNumber, cursorOf, QUESTION, readQuestion } from './list-question.ts'
import { chosenColumns, fileColumns } from './requested-columns.ts'

const PAGE = 50

const list = z.enum(['orders', 'transactions'])

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

function listOf({ list: name = '' }: Readonly<Record<string, string>>): ListName {
  const read = list.safeParse(name)
  if (!read.success) throw notFound('list')
  return read.data
}

/** The names and values of an address's search, as they were before they were written into it. */
function searchText(search: string): string {
  return [...new URLSearchParams(search)].flat().join('\n')
}
