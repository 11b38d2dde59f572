import type { FastifyInstance } from 'fastify'

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
  // The framework keeps the context of this call while the body arrives.
  app.addHook('onRequest', (request, reply, done) => {
    const trace = traces.begin(request.headers.traceparent)
    // Also for a connection that the client closes.
    reply.raw.once('close', () => traces.end(trace, reply.raw.statusCode))
    traces.within(trace, done)
  })
}
