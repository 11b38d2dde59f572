import type { z } from 'zod'
import type { Right } from './domain/rights.ts'
import type { NextStep } from './domain/sign-in-steps.ts'
import type { Answer, PortalPerson, PortalSession, Refusal } from './usecases/person.ts'

/** One request of somebody who is signed in and may do what the route does. */
export interface PortalCall<Query, Body> {
  readonly person: PortalPerson
  readonly session: PortalSession
  /** Where the request came from, for the audit log. */
  readonly address: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
}

/**
 * One address of the portal's API. What `handle` gives is sent as JSON, amounts and ids (bigint) as
 * text and times as ISO 8601; a Download is sent as a file, piece by piece.
 */
export interface PortalRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Behind `/portal/api`: `/orders/:id`. */
  readonly path: string
  /** Who lacks it is answered 403. Null: whoever is signed in. */
  readonly right: Right | null
  readonly query: z.ZodType | null
  readonly body: z.ZodType | null
  /** The step on the way in that it belongs to: whoever has it left may use it as well. */
  readonly onTheWayIn: NextStep | null
  handle(call: PortalCall<unknown, unknown>): Promise<unknown>
}

interface Definition<Query extends z.ZodType, Body extends z.ZodType> {
  readonly method: PortalRoute['method']
  readonly path: string
  readonly right: Right | null
  readonly query?: Query
  readonly body?: Body
  readonly onTheWayIn?: NextStep
  handle(call: PortalCall<z.output<Query>, z.output<Body>>): Promise<unknown>
}

/** A route whose query and body have the types that their schemas give. */
export function portalRoute<
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
>(definition: Definition<Query, Body>): PortalRoute {
  const { method, path, right, query = null, body = null, onTheWayIn = null } = definition
  // The schemas above have checked what they are called with.
  const handle = definition.handle as PortalRoute['handle']
  return { method, path, right, query, body, onTheWayIn, handle }
}

/** Something that can't be done: a status, a word for programs, a sentence for people. */
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

const STATUS: Readonly<Record<Refusal['kind'], number>> = {
  invalid: 400,
  wrong_password: 400,
  wrong_code: 400,
  forbidden: 403,
  unknown: 404,
  conflict: 409,
  locked: 429,
}

/** What a use case has done, or its refusal as a fault. */
export function orFault<Done extends object>(answer: Answer<Done>): Done {
  if (answer.ok) return answer
  const { kind, sentence, field } = answer
  throw new PortalFault(
    STATUS[kind],
    kind === 'unknown' ? 'not_found' : kind,
    sentence,
    field ?? null,
  )
}

/** For what does not exist, and for what belongs to somebody else. */
export function notFound(what: string): PortalFault {
  return new PortalFault(404, 'not_found', `There is no such ${what}.`)
}

/** An answer that is a file, made while it is sent. */
export class Download {
  readonly name: string
  readonly type: string
  readonly pieces: AsyncIterable<string>

  constructor(name: string, type: string, pieces: AsyncIterable<string>) {
    this.name = name
    this.type = type
    this.pieces = pieces
  }
}
