import { basicLogin } from './events.ts'
import type { RunningGateway } from './running-gateway.ts'

export type ListRow = Readonly<Record<string, unknown>>

export interface ListAnswer {
  readonly status: number
  readonly type: string
  readonly headers: Headers
  readonly text: string
  /** The JSON of the answer; {} for a file. */
  readonly body: Readonly<Record<string, unknown>>
  readonly rows: readonly ListRow[]
  readonly next: string | null
  readonly completeUntil: string | null
}

/** One request of a list or an object, as the sandbox's API user of a site. */
export async function readList(
  { baseUrl }: Pick<RunningGateway, 'baseUrl'>,
  path: string,
  parameters: Readonly<Record<string, string>> = {},
  { login = basicLogin(), accept = '*/*' } = {},
): Promise<ListAnswer> {
  const url = new URL(`/api/v1/${path}`, baseUrl)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  const response = await fetch(url, { headers: { authorization: login, accept } })
  const text = await response.text()
  const type = response.headers.get('content-type') ?? ''
  const body = /^application\/(?:problem\+)?json/.test(type) ? readBody(text) : {}
  return {
    status: response.status,
    type,
    headers: response.headers,
    text,
    body,
    rows: (body[path] ?? []) as readonly ListRow[],
    next: (body['next_cursor'] ?? null) as string | null,
    completeUntil: (body['complete_until'] ?? null) as string | null,
  }
}

function readBody(text: string): ListAnswer['body'] {
  return JSON.parse(text) as ListAnswer['body']
}

/** Every row of a list, page by page. */
export async function readWholeList(
  gateway: Pick<RunningGateway, 'baseUrl'>,
  path: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<ListRow[]> {
  const page = await readList(gateway, path, parameters)
  if (page.status !== 200) throw new Error(page.text)
  if (page.next === null) return [...page.rows]
  const rest = await readWholeList(gateway, path, { ...parameters, after: page.next })
  return [...page.rows, ...rest]
}

/** The lines of a JSON Lines file. */
export function linesOf(text: string): ListRow[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as ListRow)
}
