import type { Answer } from './answer.ts'
import { ClientError } from './client-error.ts'
import type { Connection } from './input.ts'
import type { Parameters } from './parameters.ts'

/**
 * HTTP statuses of a server that did not work on the request: it refused the form, the address or
 * the time. A 403 is not among them, because some firewalls put it in place of an answer.
 */
const NOT_ACCEPTED: readonly number[] = [
  301, 302, 303, 307, 308, 400, 401, 404, 405, 411, 413, 414, 415, 421, 429, 431, 503,
]

/** The address of a request, and the longest wait for its answer. */
export interface Posting {
  readonly path: string
  /** Milliseconds. */
  readonly timeoutMs: number
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Posts one form and reads the answer.
 * @throws ClientError if there is no JSON object with HTTP status 200
 */
export async function sendForm(
  connection: Connection,
  { path, timeoutMs, headers }: Posting,
  parameters: Parameters,
): Promise<Answer> {
  const address = new URL(path, connection.baseUrl)
  let answered: Answered
  try {
    const response = await (connection.fetch ?? fetch)(address, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: formOf(connection, parameters),
      signal: AbortSignal.timeout(timeoutMs),
      // Following a redirect would send card data to an address that the merchant did not choose.
      redirect: 'manual',
    })
    const header = (name: string): string => response.headers.get(name) ?? ''
    answered = { status: response.status, text: await response.text(), header }
  } catch (cause) {
    throw notAnswered(address, timeoutMs, cause)
  }
  if (answered.status === 200) return readAnswer(address, answered)
  throw otherStatus(address, answered)
}

/** An HTTP answer with its body. */
interface Answered extends Pick<Answer, 'header'> {
  readonly status: number
  readonly text: string
}

/** The header by which an operator finds a request in the logs. */
export const REQUEST_ID_HEADER = 'tollgate-request-id'

function formOf(connection: Connection, parameters: Parameters): string {
  const all: Parameters = {
    REQ_USERNAME: connection.username,
    REQ_PASSWORD: connection.password,
    SITE_ID: connection.siteId,
    REQUEST_API_VERSION: '4.14',
    REQUEST_RESPONSE_FORMAT: 'JSON',
    ...parameters,
  }
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(all)) {
    if (value !== undefined) form.set(name, String(value))
  }
  return form.toString()
}

const UNKNOWN = 'Whether it accepted the request is unknown.'
const NOTHING = 'It accepted nothing.'

function notAnswered(address: URL, timeoutMs: number, cause: unknown): ClientError {
  const gateway = `The gateway at ${address.origin}`
  if (cause instanceof Error && cause.name === 'TimeoutError') {
    const limit = `did not answer within ${Math.round(timeoutMs) / 1000} s`
    return new ClientError(`${gateway} ${limit}. ${UNKNOWN}`, 'unknown', { cause })
  }
  const reason = reasonOf(cause)
  if (reasons(cause).every(isBeforeSending)) {
    return new ClientError(`${gateway} could not be reached: ${reason}. ${NOTHING}`, 'no', {
      cause,
    })
  }
  const broke = `The connection to ${address.origin} broke: ${reason}.`
  return new ClientError(`${broke} ${UNKNOWN}`, 'unknown', { cause })
}

/** The innermost errors. Node tries several addresses of a host, and each may fail. */
function reasons(error: unknown): Failure[] {
  const inner = error instanceof AggregateError ? error.errors : [causeOf(error)]
  const deeper = inner.filter((each) => each instanceof Error)
  if (deeper.length > 0) return deeper.flatMap(reasons)
  return error instanceof Error ? [error] : [new Error(String(error))]
}

type Failure = Error & { readonly code?: unknown; readonly syscall?: unknown }

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined
}

function reasonOf(error: unknown): string {
  const [first] = reasons(error)
  const code = typeof first?.code === 'string' ? first.code : ''
  const message = first?.message ?? ''
  return message.includes(code) ? message : `${message} (${code})`
}

/** Codes of undici and OpenSSL for connections that were never open for a request. */
const NEVER_OPEN: readonly string[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
]

/** An alert about our certificate may come after the request, and is not among them. */
function isBeforeSending({ code, syscall }: Failure): boolean {
  if (syscall === 'connect' || syscall === 'getaddrinfo') return true
  if (typeof code !== 'string') return false
  return NEVER_OPEN.includes(code) || (code.includes('CERT') && !code.includes('ALERT'))
}

function otherStatus(address: URL, { header, status }: Answered): ClientError {
  const isRefused = NOT_ACCEPTED.includes(status)
  const isRedirect = status >= 300 && status < 400
  const hint =
    isRedirect || status === 404 ? ' Check that baseUrl is the address of the gateway.' : ''
  return new ClientError(
    `The gateway at ${address.origin} answered with HTTP status ${status}, where 200 was ` +
      `expected. ${isRefused ? NOTHING : UNKNOWN}${hint}`,
    isRefused ? 'no' : 'unknown',
    { httpRequestId: header(REQUEST_ID_HEADER) },
  )
}

function readAnswer(address: URL, { header, text }: Answered): Answer {
  try {
    const answer: unknown = JSON.parse(text)
    if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) {
      return { raw: { ...answer }, header }
    }
  } catch {
    // Falls through to the same error: the answer is not a record.
  }
  throw new ClientError(
    `The gateway at ${address.origin} did not answer with a JSON object. ${UNKNOWN} ` +
      `Check that baseUrl is the address of the gateway.`,
    'unknown',
    { httpRequestId: header(REQUEST_ID_HEADER) },
  )
}
