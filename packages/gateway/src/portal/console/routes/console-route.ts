import type { ConsoleRight } from '@tollgate/portal-contract/console-rights'
import type { PathParameters, Route } from '@tollgate/portal-contract/route'
import type { z } from 'zod'
import type { Needs, Reads, Sendable, ServedCall, ServedRoute } from '../../shell/portal-route.ts'
import type { ConsoleSession } from '../usecases/console-operator.ts'

/** A route of the console, with its handler. */
export type ConsoleRoute = ServedRoute<ConsoleSession, ConsoleRight>

/**
 * Implements an entry of the console's route table, as `implement` does for the portal: the
 * compiler compares schemas and answer with the table.
 */
export function implementConsole<
  Path extends string,
  Query,
  Body,
  Answer,
  BodySchema extends z.ZodType = z.ZodUndefined,
>(
  { method, path, right, onTheWayIn }: Route<Path, Query, Body, Answer, ConsoleRight>,
  implementation: {
    readonly body?: BodySchema & Reads<Body, BodySchema>
    handle(
      call: ServedCall<ConsoleSession, undefined, z.output<BodySchema>, PathParameters<Path>>,
    ): Promise<Sendable<NoInfer<Answer>>>
  } & Needs<'body', Body>,
): ConsoleRoute {
  const { body = null } = implementation
  // The schema and the router have checked what it is called with.
  const handle = implementation.handle as ConsoleRoute['handle']
  return { method, path, right, onTheWayIn, query: null, body, bodyLimit: null, handle }
}
