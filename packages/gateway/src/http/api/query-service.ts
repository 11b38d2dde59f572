import type { FastifyInstance } from 'fastify'
import type { ListReader } from '../../usecases/queries/list-reader.ts'
import type { ListName } from '../../usecases/queries/listed-rows.ts'
import type { ListAnswerPage, OpenList, OpenLists } from '../../usecases/queries/read-list.ts'
import {
  API_PATH,
  fileAnswer,
  jsonAnswer,
  openApiGate,
  type ApiAnswer,
  type ApiCall,
  type ApiGateDeps,
} from './api-gate.ts'
import { acceptedFormat, FILE_TYPES, listFile, type FileFormat } from './list-files.ts'
import { LIST_OBJECTS, type ListObject } from './list-objects.ts'
import { LIST_PARAMETERS } from './list-parameter-table.ts'
import {
  MOST_ROWS,
  readListParameters,
  USUAL_ROWS,
  type ListParameters,
} from './list-parameters.ts'
import { createOpenRequests, MOST_FILES } from './open-requests.ts'

export interface QueryServiceDeps extends ApiGateDeps {
  readonly openList: OpenLists
  readonly readOne: ListReader['readOne']
}

export const LIST_NAMES = Object.keys(LIST_PARAMETERS) as ListName[]

/** The lists of what a merchant has, for its programs: JSON, JSON Lines and CSV. */
export function queryService(app: FastifyInstance, deps: QueryServiceDeps): void {
  const gate = openApiGate(app, deps)
  const files = createOpenRequests(MOST_FILES)
  for (const list of LIST_NAMES) {
    const action = `GET_${list.toUpperCase()}`
    gate.get(`${API_PATH}/${list}`, action, (call) => answerList(list, call))
    gate.get(`${API_PATH}/${list}/:id`, action, (call) => answerOne(list, call))
  }

  async function answerList(list: ListName, call: ApiCall): Promise<ApiAnswer> {
    const { query, refuse, request, user } = call
    const read = readListParameters(list, query)
    if (!read.ok) return refuse('parameter-invalid', read)
    const { parameters } = read
    const wanted = parameters.format ?? acceptedFormat(request.headers.accept)
    const format = request.method === 'HEAD' ? 'json' : wanted
    if (format === 'json' && (parameters.limit ?? 0) > MOST_ROWS) {
      const detail = `A page has at most ${MOST_ROWS} rows. Files have more.`
      return refuse('parameter-invalid', { parameter: 'limit', detail })
    }
    const filter = { ...parameters.filter, merchantId: user.merchantId }
    const opened = await deps.openList({ list, filter, after: parameters.after })
    if (opened.kind !== 'open') {
      const name = opened.kind === 'cursor_invalid' ? 'cursor-invalid' : 'filter-changed'
      return refuse(name, { parameter: 'after' })
    }
    const objects = withObjects(list, opened.list)
    return format === 'json'
      ? answerPage(list, call, parameters, objects)
      : answerFile(list, call, parameters, objects, format)
  }

  function answerFile(
    list: ListName,
    { refuse, user }: ApiCall,
    { hasCount, limit }: ListParameters,
    objects: OpenList<ListObject>,
    format: FileFormat,
  ): ApiAnswer {
    const place = files.open(user.id)
    if (place === false) return refuse('too-many-files')
    const { completeUntil } = objects
    const pieces = objects.pieces(limit)
    const onEnd = place.close
    return fileAnswer(
      listFile({ list, format, completeUntil, pieces, hasCount, onEnd }),
      FILE_TYPES[format],
    )
  }

  async function answerOne(list: ListName, call: ApiCall): Promise<ApiAnswer> {
    const { query, refuse, request, user } = call
    const [name] = new URLSearchParams(query).keys()
    if (name !== undefined) {
      return refuse('parameter-invalid', { detail: 'A single object has no parameters.' })
    }
    const { id = '' } = request.params as { readonly id?: string }
    const isId = /^\d{1,18}$/.test(id)
    const row = isId ? await deps.readOne(list, user.merchantId, BigInt(id)) : null
    if (row === null) return refuse('not-found')
    const object = objectOf(list)(row)
    if (list !== 'orders') return jsonAnswer(JSON.stringify(object))
    return jsonAnswer(
      JSON.stringify({ ...object, transactions: await stepsOf(user.merchantId, id) }),
    )
  }

  /** The transactions of an order, the oldest first. */
  async function stepsOf(merchantId: bigint, orderId: string): Promise<readonly ListObject[]> {
    const values = new Map([['order', orderId] as const])
    const filter = { merchantId, from: null, to: null, values }
    const opened = await deps.openList({ list: 'transactions', filter, after: '' })
    if (opened.kind !== 'open') return []
    const { rows } = await opened.list.page(MOST_ROWS)
    return rows.map(({ row }) => LIST_OBJECTS.transactions(row))
  }
}

/** The layout of the list's own rows. */
function objectOf(list: ListName): (row: unknown) => ListObject {
  return LIST_OBJECTS[list] as (row: unknown) => ListObject
}

function withObjects(list: ListName, opened: OpenList<unknown>): OpenList<ListObject> {
  const layOut = objectOf(list)
  const page = ({ next, rows }: ListAnswerPage<unknown>): ListAnswerPage<ListObject> => ({
    rows: rows.map(({ cursor, row }) => ({ cursor, row: layOut(row) })),
    next,
  })
  return {
    completeUntil: opened.completeUntil,
    page: async (limit) => page(await opened.page(limit)),
    async *pieces(most) {
      for await (const piece of opened.pieces(most)) yield page(piece)
    },
  }
}

async function answerPage(
  list: ListName,
  { query }: ApiCall,
  { limit }: ListParameters,
  objects: OpenList<ListObject>,
): Promise<ApiAnswer> {
  const { next, rows } = await objects.page(limit ?? USUAL_ROWS)
  const body = JSON.stringify({
    [list]: rows.map(({ row }) => row),
    next_cursor: next,
    complete_until: objects.completeUntil,
  })
  return jsonAnswer(body, next === null ? {} : { link: nextLink(list, query, next) })
}

/** RFC 8288: the address of the next page, with the same filter. */
function nextLink(list: ListName, query: string, cursor: string): string {
  const parameters = new URLSearchParams(query)
  parameters.set('after', cursor)
  return `<${API_PATH}/${list}?${parameters.toString()}>; rel="next"`
}
