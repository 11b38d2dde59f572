import type { FaultAnswer } from '@tollgate/gateway/portal-api'

/** What the gateway refused, or why it could not be reached; the message is for people. */
export class ApiFault extends Error {
  readonly status: number
  readonly code: string
  /** The field of a form that is at fault, if it is one. */
  readonly field: string | null

  constructor(status: number, { code, message, field }: FaultAnswer['error']) {
    super(message)
    this.status = status
    this.code = code
    this.field = field ?? null
  }
}

let csrfToken = ''

/** To be told with every session: what is changed is sent along with its token. */
export function sendToken(token: string): void {
  csrfToken = token
}

const NO_ANSWER = {
  code: 'unreachable',
  message: 'The gateway can not be reached. Check the connection, and try again.',
}

async function request<Answer>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Answer> {
  let response: Response
  try {
    response = await fetch(`/portal/api${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(method === 'GET' ? {} : { 'x-csrf-token': csrfToken }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new ApiFault(0, NO_ANSWER)
  }
  const answer: unknown = await response.json().catch(() => ({ error: NO_ANSWER }))
  if (response.ok) return answer as Answer
  throw new ApiFault(response.status, (answer as FaultAnswer).error ?? NO_ANSWER)
}

/** The portal's API. Each rejects with an ApiFault. */
export const api = {
  get: <Answer>(path: string, signal?: AbortSignal) => request<Answer>('GET', path, undefined, signal),
  post: <Answer>(path: string, body: unknown = {}) => request<Answer>('POST', path, body),
  put: <Answer>(path: string, body: unknown = {}) => request<Answer>('PUT', path, body),
  remove: <Answer>(path: string) => request<Answer>('DELETE', path),
}

/** `?a=1&b=2` of what is given; empty and missing values are left out. */
export function queryText(values: Readonly<Record<string, string | number | boolean | null | undefined>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '')
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}
