import type { FastifyInstance, FastifyRequest } from 'fastify'

/** Records requests. `Trace` is what the recorder knows of one. */
export interface RequestTraces<Trace extends object = object> {
  /** @param traceparent the header of W3C Trace Context, as it came */
  begin(traceparent: unknown): Trace
  /** Runs work as a part of the request. */
  within(trace: Trace, work: () => void): void
  end(trace: Trace, httpStatus: number): void
}

/**
 * Records the requests to the addresses of a scope that are registered later, from their header
 * lines to the last byte of the answer.
 */
export function traceRequests<Trace extends object>(
  app: FastifyInstance,
  traces: RequestTraces<Trace>,
): void {
  const open = new WeakMap<FastifyRequest, Trace>()
  app.addHook('onRequest', (request, reply, done) => {
    const trace = traces.begin(request.headers.traceparent)
    open.set(request, trace)
    // Also for a connection that the client closes.
    reply.raw.once('close', () => traces.end(trace, reply.raw.statusCode))
    traces.within(trace, done)
  })
  // The body arrives in calls of its connection, which belong to no request.
  app.addHook('preHandler', (request, _reply, done) => {
    const trace = open.get(request)
    if (trace === undefined) return done()
    traces.within(trace, done)
  })
}
