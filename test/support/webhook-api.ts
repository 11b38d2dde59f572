import { basicLogin } from './events.ts'
import type { RunningGateway } from './running-gateway.ts'

export interface ApiAnswer {
  readonly status: number
  readonly type: string
  readonly headers: Headers
  readonly body: any // oxlint-disable-line no-explicit-any -- tests look into it as they please
}

/** One request of the endpoint API, as the sandbox's API user of a site. */
export async function askApi(
  { baseUrl }: Pick<RunningGateway, 'baseUrl'>,
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
  login = basicLogin(),
): Promise<ApiAnswer> {
  const response = await fetch(new URL(`/api/v1/${path}`, baseUrl), {
    method,
    headers: {
      authorization: login,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    headers: response.headers,
    body: text === '' ? null : JSON.parse(text),
  }
}
