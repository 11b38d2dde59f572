import type { Route } from '@tollgate/portal-contract/route'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { read } from './portal-answer.ts'
import type { Needs, Reads, Sendable } from './portal-route.ts'

/** One request of a caller who may not be signed in. */
interface SignInCall<Body> {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Reads the body. A route that wants a session reads it after the checks of the session. */
  readonly body: () => Body
}

/** An entry of the route table that checks for itself who calls it, and when. */
export interface SignInRoute extends Pick<Route, 'method' | 'path'> {
  handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown>
}

interface Implementation<Body, Answer, BodySchema extends z.ZodType> {
  readonly body?: BodySchema & Reads<Body, BodySchema>
  handle(call: SignInCall<z.output<BodySchema>>): Promise<Sendable<Answer>>
}

/**
 * Implements an entry of the route table for callers who may not be signed in. The compiler
 * compares the schema with what the table lets a caller send, and the answer with the one that it
 * promises.
 */
export function signInRoute<
  Path extends string,
  Body,
  Answer,
  BodySchema extends z.ZodType = z.ZodUndefined,
>(
  { method, path }: Route<Path, undefined, Body, Answer>,
  implementation: Implementation<Body, NoInfer<Answer>, BodySchema> & Needs<'body', Body>,
): SignInRoute {
  const schema: z.ZodType = implementation.body ?? z.undefined()
  return {
    method,
    path,
    handle: (request, reply) =>
      implementation.handle({
        request,
        reply,
        body: () => read(schema, request.body) as z.output<BodySchema>,
      }),
  }
}
