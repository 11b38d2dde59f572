import type { FaultAnswer } from '@tollgate/portal-contract/answers/shell'
import {
  addressOf,
  type FileAnswer,
  type Loose,
  type PathParameters,
  type Route,
} from '@tollgate/portal-contract/route'
import { PLACE } from './place.ts'

const API = `${PLACE.root}/api`

/**
 * A refusal of the gateway, or the reason why it was unreachable; the message is for portal users.
 */
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

/** Called with every session: requests that change something carry its token. */
export function sendToken(token: string): void {
  csrfToken = token
}

/** Whether the user was active since a request last reported it; opening the page counts. */
let acted = true
for (const type of ['pointerdown', 'keydown', 'wheel', 'touchmove']) {
  addEventListener(type, () => (acted = true), { capture: true, passive: true })
}

/** Whether the user was active since the last report to the gateway. */
export function hasActed(): boolean {
  return acted
}

let onSignedOut: () => void = () => undefined
const waiting: (() => void)[] = []

/** Sets, once, the reaction to a response that no user is signed in. */
export function whenSignedOut(ask: () => void): void {
  onSignedOut = ask
}

/** The user signed in again over an open page: its waiting requests are sent now. */
export function signedInAgain(): void {
  for (const go of waiting.splice(0)) go()
}

const NO_ANSWER = {
  code: 'unreachable',
  message: 'The gateway cannot be reached. Check your connection and try again.',
}

interface Sent {
  readonly body?: unknown
  readonly signal?: AbortSignal
  /** Asked by the page itself: it never keeps the session open. */
  readonly background?: boolean
}

async function request<Answer>(
  method: string,
  path: string,
  { body, signal, background = false }: Sent,
): Promise<Answer> {
  // Requests of a page without user activity must not keep a session open.
  const isBackground = background || !acted
  if (!isBackground) acted = false
  let response: Response
  try {
    response = await fetch(`${API}${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(method === 'GET' ? {} : { 'x-csrf-token': csrfToken }),
        ...(isBackground ? { 'x-portal-background': '1' } : {}),
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
  const fault = new ApiFault(response.status, (answer as FaultAnswer).error ?? NO_ANSWER)
  // A list that is read again must not replace a form in which a user types: it waits.
  if (isOut(fault) && method === 'GET' && !/^\/session\b/.test(path)) {
    onSignedOut()
    await new Promise<void>((resolve) => waiting.push(resolve))
    if (signal?.aborted === true) throw fault
    return request(method, path, { body, signal, background })
  }
  throw fault
}

/** Whether a response says that no user is signed in, or not completely. */
export function isOut(error: unknown): boolean {
  return error instanceof ApiFault && (error.code === 'signed_out' || error.code === 'unfinished')
}

type PathPart<Path extends string> = keyof PathParameters<Path> extends never
  ? object
  : { readonly path: PathParameters<Path> }
type QueryPart<Query> = [Query] extends [undefined]
  ? object
  : object extends Query
    ? { readonly query?: Loose<Query> }
    : { readonly query: Loose<Query> }
type BodyPart<Body> = [Body] extends [undefined] ? object : { readonly body: Body }

/** Everything that a route needs beside itself: as the route table says, and nothing else. */
type RouteInputs<Path extends string, Query, Body> = PathPart<Path> &
  QueryPart<Query> &
  BodyPart<Body>
type Options = Pick<Sent, 'signal' | 'background'>
type Arguments<All> = object extends All ? [given?: All] : [given: All]

/** The parts of an address and a request, for any route. */
interface Parts {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: object
}

/** Calls a route of the portal's API. Rejects with an ApiFault. */
export function call<Path extends string, Query, Body, Answer>(
  { method, path }: Route<Path, Query, Body, Answer, string>,
  ...[given]: Answer extends FileAnswer
    ? [given: never]
    : Arguments<RouteInputs<Path, NoInfer<Query>, NoInfer<Body>> & Options>
): Promise<Answer> {
  const { path: parameters, query, ...sent } = (given ?? {}) as Parts & Sent
  return request<Answer>(method, addressOf(path, parameters, query), sent)
}

/** The download address of a file route. */
export function fileAddress<Path extends string, Query>(
  { path }: Route<Path, Query, undefined, FileAnswer>,
  ...[given]: Arguments<RouteInputs<Path, NoInfer<Query>, undefined>>
): string {
  const { path: parameters, query } = (given ?? {}) as Parts
  return `${API}${addressOf(path, parameters, query)}`
}
