import type { Right } from '@tollgate/portal-contract/rights'
import type { FileAnswer, PathParameters, Route } from '@tollgate/portal-contract/route'
import type { z } from 'zod'
import type { RefusalKind, Result } from '../../base/refusal.ts'
import type { PortalUser, PortalSession } from './usecases/portal-user.ts'

/** One request of a signed-in user who has the route's right. */
export interface ServedCall<Session, Query, Body, Params = Readonly<Record<string, string>>> {
  readonly session: Session
  /** The address of the request, for the audit log. */
  readonly address: string
  readonly params: Params
  readonly query: Query
  readonly body: Body
}

/** One request of a portal user. */
export interface PortalCall<
  Query,
  Body,
  Params = Readonly<Record<string, string>>,
> extends ServedCall<PortalSession, Query, Body, Params> {
  readonly portalUser: PortalUser
}

/** An entry of a route table with the schemas that implement it. */
interface ReadRoute<Needed extends string> extends Pick<Route, 'method' | 'path' | 'onTheWayIn'> {
  readonly right: Needed | null
  readonly query: z.ZodType | null
  readonly body: z.ZodType | null
  /** The largest body in bytes; null: that of all routes. */
  readonly bodyLimit: number | null
}

/** A route of users of any kind, with its handler. */
export interface ServedRoute<Session, Needed extends string> extends ReadRoute<Needed> {
  handle(call: ServedCall<Session, unknown, unknown>): Promise<unknown>
}

/** A route of the portal, with its handler. */
export interface PortalRoute extends ReadRoute<Right> {
  handle(call: PortalCall<unknown, unknown>): Promise<unknown>
}

/**
 * The return type of a handler. Text for an id, an amount or a time may still be a bigint or a
 * Date, which are sent as text. A file is sent piece by piece.
 */
export type Sendable<Answer> = Answer extends FileAnswer
  ? Download
  : Answer extends string
    ? string extends Answer
      ? string | bigint | Date
      : Answer
    : Answer extends readonly (infer Item)[]
      ? readonly Sendable<Item>[]
      : Answer extends object
        ? { readonly [Key in keyof Answer]: Sendable<Answer[Key]> }
        : Answer

/** Schemas write arrays and objects without `readonly`. */
type Writable<Value> = Value extends object
  ? { -readonly [Key in keyof Value]: Writable<Value[Key]> }
  : Value

/** Fails, naming what a caller may send, for a schema that refuses some of it. */
export type Reads<Sent, Schema extends z.ZodType> =
  Writable<Sent> extends z.input<Schema> ? unknown : { readonly 'has to read': Sent }

/** A part of a request that the table names needs a schema. */
export type Needs<Part extends 'query' | 'body', Sent> = [Sent] extends [undefined]
  ? object
  : { readonly [Name in Part]: z.ZodType }

interface Implementation<
  Params,
  Query,
  Body,
  Answer,
  QuerySchema extends z.ZodType,
  BodySchema extends z.ZodType,
> {
  readonly query?: QuerySchema & Reads<Query, QuerySchema>
  readonly body?: BodySchema & Reads<Body, BodySchema>
  /** The largest body in bytes, for a route that takes files. */
  readonly bodyLimit?: number
  handle(
    call: PortalCall<z.output<QuerySchema>, z.output<BodySchema>, Params>,
  ): Promise<Sendable<Answer>>
}

/**
 * Implements an entry of the route table. The compiler compares the schemas with what the table
 * lets a caller send, and the handler's answer with the one that the table promises.
 */
export function implement<
  Path extends string,
  Query,
  Body,
  Answer,
  QuerySchema extends z.ZodType = z.ZodUndefined,
  BodySchema extends z.ZodType = z.ZodUndefined,
>(
  { method, path, right, onTheWayIn }: Route<Path, Query, Body, Answer>,
  implementation: Implementation<
    PathParameters<Path>,
    Query,
    Body,
    NoInfer<Answer>,
    QuerySchema,
    BodySchema
  > &
    Needs<'query', Query> &
    Needs<'body', Body>,
): PortalRoute {
  const { query = null, body = null, bodyLimit = null } = implementation
  // The schemas and the router have checked what it is called with.
  const handle = implementation.handle as PortalRoute['handle']
  return { method, path, right, onTheWayIn, query, body, bodyLimit, handle }
}

/** Something that cannot be done: a status, a word for programs, a sentence for portal users. */
export class PortalFault extends Error {
  readonly status: number
  readonly code: string
  /** The field of the form that is at fault, if it is one. */
  readonly field: string | null

  constructor(status: number, code: string, sentence: string, field: string | null = null) {
    super(sentence)
    this.status = status
    this.code = code
    this.field = field
  }
}

const ANSWERED: Readonly<Record<RefusalKind, { readonly status: number; readonly code: string }>> =
  {
    invalid: { status: 400, code: 'invalid' },
    forbidden: { status: 403, code: 'forbidden' },
    missing: { status: 404, code: 'not_found' },
    conflict: { status: 409, code: 'conflict' },
    locked: { status: 429, code: 'locked' },
  }

/** The status of HTTP that a refusal has; null: of what was done. */
export function statusOf(kind: RefusalKind | null): number {
  return kind === null ? 200 : ANSWERED[kind].status
}

/**
 * The result, or its refusal as a fault: the one place where a refusal becomes a status of HTTP.
 * `fieldOf`: finds the field at fault in the first sentence, where the refusal names none.
 */
export function orFault<Done extends object>(
  result: Result<Done>,
  fieldOf: (fault: string) => string | null = () => null,
): Done & { readonly ok: true } {
  if (result.ok) return result
  const { kind, faults, field = fieldOf(faults[0] ?? '') } = result
  const { status, code } = ANSWERED[kind]
  throw new PortalFault(status, result.code ?? code, faults.join(' '), field)
}

/** For a missing object, and for one of another merchant. */
export function notFound(what: string): PortalFault {
  return new PortalFault(404, 'not_found', `This ${what} does not exist.`)
}

/** An answer that is a file, made while it is sent. */
export class Download {
  readonly name: string
  readonly type: string
  readonly pieces: AsyncIterable<string | Uint8Array>

  constructor(name: string, type: string, pieces: AsyncIterable<string | Uint8Array>) {
    this.name = name
    this.type = type
    this.pieces = pieces
  }
}
