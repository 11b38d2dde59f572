import type { SignInStep } from './answers/shell.ts'
import type { Right } from './rights.ts'

/**
 * One address of the portal's API. This entry types both the gateway's implementation and the web
 * application's calls. Types are as in JSON: ids and amounts in minor units as text, times as ISO
 * 8601. The type `undefined` stands for no query or no body.
 */
export interface Route<
  Path extends string = string,
  Query = unknown,
  Body = unknown,
  Answer = unknown,
  /** The names of the rights: the portal's, or the console's. */
  Needed extends string = Right,
> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Behind `API`: `/orders/:id`. */
  readonly path: Path
  /** Without this right a user gets 403. Null: every signed-in user may call it. */
  readonly right: Needed | null
  /** The sign-in step that the route completes: a portal user at this step may call it too. */
  readonly onTheWayIn: SignInStep | null
  /** Holds the types; there is never a value. */
  readonly types?: { readonly query: Query; readonly body: Body; readonly answer: Answer }
}

/** The path of the portal's API. */
export const API = '/portal/api'

/** The answer of a route that sends a file; the browser downloads it. */
export interface FileAnswer {
  readonly isFile: true
}

/** The answer of a route that succeeded and has nothing to return. */
export interface Done {
  readonly done: boolean
}

/** A route's inputs besides the parameters in its path. */
interface Takes {
  readonly query?: object
  readonly body?: object
}
type QueryOf<Given> = Given extends { readonly query: infer Query } ? Query : undefined
type BodyOf<Given> = Given extends { readonly body: infer Body } ? Body : undefined

function method<Needed extends string>(name: Route['method']) {
  return <Path extends string>(
    path: Path,
    right: Needed | null,
    onTheWayIn: SignInStep | null = null,
  ) => ({
    /** Completes the entry with its types: `.answers<Answer, { query: ...; body: ... }>()`. */
    answers<Answer, Given extends Takes = Takes>(): Route<
      Path,
      QueryOf<Given>,
      BodyOf<Given>,
      Answer,
      Needed
    > {
      return { method: name, path, right, onTheWayIn }
    },
  })
}

export const get = method<Right>('GET')
export const post = method<Right>('POST')
export const put = method<Right>('PUT')
export const remove = method<Right>('DELETE')

/** The same for a table whose rights have other names. */
export function methodsOf<Needed extends string>() {
  return { get: method<Needed>('GET'), post: method<Needed>('POST'), put: method<Needed>('PUT') }
}

type ParameterName<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? ParameterName<First> | ParameterName<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never

/** The parameters of a path: `{ id: string }` of `/orders/:id`. */
export type PathParameters<Path extends string> = {
  readonly [Name in ParameterName<Path>]: string
}

/** A query as a caller may write it: null, undefined and '' leave a value out. */
export type Loose<Query> = { readonly [Name in keyof Query]: Query[Name] | null }

/** The path and query of one call, with its parameters filled in. */
export function addressOf(
  path: string,
  parameters: Readonly<Record<string, string>> = {},
  query: object = {},
): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(parameters[name] ?? ''),
  )
  const given = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null && value !== '')
    .map(([name, value]) => [name, String(value)])
  return given.length === 0 ? filled : `${filled}?${new URLSearchParams(given)}`
}
