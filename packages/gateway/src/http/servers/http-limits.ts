/** The limits of one worker on clients. The documents state these numbers; a test compares them. */
export interface HttpLimits {
  /** For a TLS handshake, from the first byte of the connection to its end. */
  readonly handshakeTimeoutMs: number
  /** For the header lines of a request to arrive; a silent connection is given as long. */
  readonly headersTimeoutMs: number
  /** For a whole request to arrive, body included. */
  readonly requestTimeoutMs: number
  /** How long nothing of an answer may be taken before its connection is cut. */
  readonly answerTimeoutMs: number
  /** How long an idle connection is kept open for the next request. */
  readonly keepAliveTimeoutMs: number
  /** Of a request line and its header lines together. */
  readonly headerBytes: number
  readonly headerLines: number
  /** Requests of one connection that may be open at once. */
  readonly pipelinedRequests: number
  /** Connections at once, in any state. */
  readonly connections: number
  /** Connections at once from one address, or one IPv6 /64; 0 is no limit. */
  readonly connectionsPerAddress: number
  /** How long clients that keep their connections are asked to close them before they are cut. */
  readonly drainMs: number
  /** How long open requests may take to finish once the servers begin to close. */
  readonly closeTimeoutMs: number
}

/** A payment is answered within 30 s, and closing waits for the slowest one. */
export const HTTP_LIMITS: HttpLimits = {
  handshakeTimeoutMs: 10_000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 20_000,
  answerTimeoutMs: 30_000,
  keepAliveTimeoutMs: 65_000,
  headerBytes: 16 * 1024,
  headerLines: 100,
  pipelinedRequests: 16,
  connections: 2_000,
  connectionsPerAddress: 0,
  drainMs: 1_000,
  closeTimeoutMs: 30_000,
}
