import { maskText } from '../../base/card-masking.ts'
/** Why a request of `/api/v1` was refused (RFC 9457). The names are sections of the docs. */
export const PROBLEMS = {
  unauthenticated: { status: 401, title: 'The user name or the password is missing or wrong.' },
  'user-inactive': {
    status: 403,
    title: 'The API user or its merchant is disabled, or the user was idle for too long.',
  },
  'right-missing': { status: 403, title: 'The API user may not use this interface.' },
  'login-locked': { status: 429, title: 'Too many logins of this user failed.' },
  'rate-limited': { status: 429, title: 'The API user has sent too many requests.' },
  'too-many-polls': { status: 429, title: 'Too many requests of this user wait for events.' },
  'too-many-files': { status: 429, title: 'Too many files are being sent to this user.' },
  'parameter-invalid': { status: 400, title: 'A parameter is unknown or has an invalid value.' },
  'cursor-invalid': { status: 400, title: 'The cursor is none that this address gave.' },
  'filter-changed': { status: 400, title: 'The cursor goes with another filter.' },
  'cursor-expired': { status: 410, title: 'Events behind the cursor are no longer kept.' },
  'feed-forked': { status: 410, title: 'The database has lost events that the cursor follows.' },
  'not-found': { status: 404, title: 'There is nothing at this address.' },
  conflict: { status: 409, title: 'The state of the object does not allow it.' },
  'method-not-allowed': { status: 405, title: 'The address does not take this method.' },
  unavailable: { status: 503, title: 'The gateway cannot answer now.' },
  'internal-error': { status: 500, title: 'The gateway failed.' },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly title: string }>>

export type ProblemName = keyof typeof PROBLEMS

/** Members beside those of the standard. */
export interface ProblemExtensions {
  readonly detail?: string
  /** The parameter that was refused. */
  readonly parameter?: string
  /** The cursor to go on from. */
  readonly cursor?: string
}

/** The page that a problem's type names. */
export const PROBLEM_PAGE = '/docs/integrators/problems'

export function problemBody(
  name: ProblemName,
  requestId: bigint | null,
  extensions: ProblemExtensions,
): string {
  const { status, title } = PROBLEMS[name]
  return JSON.stringify({
    type: `${PROBLEM_PAGE}#${name}`,
    title,
    status,
    ...masked(extensions),
    ...(requestId === null ? {} : { req_id: requestId.toString() }),
  })
}

/** A client may paste a card number into anything, also into the name of a parameter. */
function masked({ detail, parameter, ...rest }: ProblemExtensions): ProblemExtensions {
  return {
    ...(detail !== undefined && { detail: maskText(detail) }),
    ...(parameter !== undefined && { parameter: maskText(parameter) }),
    ...rest,
  }
}
