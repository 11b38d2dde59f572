/** A cluster, and the highest timeline on which a server of it was seen. */
export interface ClusterMark {
  /** PostgreSQL's number of the cluster, the same on every copy of its files. */
  readonly systemIdentifier: string
  /** Grows by one with each promotion. */
  readonly timeline: number
}

/** A server's account of itself. */
export interface ServerState extends ClusterMark {
  readonly takesWrites: boolean
  /** It replays another server's log. */
  readonly isStandby: boolean
  /** Seconds since 1970 with microseconds: two addresses of one server report the same. */
  readonly startedAt: string
}

/** One address of DATABASE_URL, and what was heard there. */
export interface AskedServer {
  /** Host and port, for messages. */
  readonly label: string
  /** An error where it did not answer. */
  readonly state: ServerState | Error
}

export type Choice =
  | { readonly ok: true; readonly at: number; readonly state: ServerState }
  | { readonly ok: false; readonly reason: string }

interface Writer {
  readonly at: number
  readonly label: string
  readonly state: ServerState
}

/**
 * The server that payments may be written to: the one that accepts writes on the highest timeline.
 * A refusal states the reason without a password.
 */
export function choosePrimary(servers: readonly AskedServer[], mark: ClusterMark | null): Choice {
  const writers = servers.flatMap(({ label, state }, at): Writer[] =>
    state instanceof Error || !state.takesWrites ? [] : [{ at, label, state }],
  )
  const [first] = writers
  if (first === undefined) return refused(nobodyWrites(servers))
  const cluster = mark?.systemIdentifier ?? first.state.systemIdentifier
  const foreign = writers.find(({ state }) => state.systemIdentifier !== cluster)
  if (foreign !== undefined) return refused(foreignCluster(foreign, mark, first))
  const highest = highestTimeline(servers, cluster, mark)
  const current = writers.filter(({ state }) => state.timeline >= highest)
  const [chosen] = current
  if (chosen === undefined) return refused(oldPrimary(first.label, first.state.timeline, highest))
  const rival = current.find(({ state }) => state.startedAt !== chosen.state.startedAt)
  if (rival !== undefined) return refused(twoPrimaries(chosen, rival))
  return { ok: true, at: chosen.at, state: chosen.state }
}

/** Why a connected server may not be written to; null when it may. */
export function faultOf(
  label: string,
  state: ServerState,
  mark: ClusterMark | null,
): string | null {
  if (mark === null) return null
  if (state.systemIdentifier !== mark.systemIdentifier) {
    return foreignCluster({ at: 0, label, state }, mark, null)
  }
  // A standby reports the timeline of its last checkpoint, and takes no writes anyway.
  return !state.isStandby && state.timeline < mark.timeline
    ? oldPrimary(label, state.timeline, mark.timeline)
    : null
}

/** The mark after a server was seen: it only rises. */
export function raiseMark(mark: ClusterMark | null, seen: ClusterMark): ClusterMark {
  const { systemIdentifier, timeline } = seen
  return mark !== null && mark.timeline >= timeline ? mark : { systemIdentifier, timeline }
}

/** Standbys count: those of a primary that is away prove that it was there. */
export function highestTimeline(
  servers: readonly AskedServer[],
  cluster: string,
  mark: ClusterMark | null,
): number {
  const timelines = servers.flatMap(({ state }) =>
    state instanceof Error || state.systemIdentifier !== cluster ? [] : [state.timeline],
  )
  return Math.max(mark?.timeline ?? 0, ...timelines)
}

function refused(reason: string): Choice {
  return { ok: false, reason }
}

function nobodyWrites(servers: readonly AskedServer[]): string {
  const heard = servers.map(({ label, state }) =>
    state instanceof Error
      ? `${label}: ${errorText(state)}`
      : `${label} is a standby, or read-only`,
  )
  return `No server of DATABASE_URL accepts writes (${heard.join('; ')}).`
}

/** A host with several addresses fails with one error without a text. */
function errorText(error: Error): string {
  if (!(error instanceof AggregateError)) return error.message
  return error.errors.map((each: unknown) => (each as Error).message).join(', ')
}

function oldPrimary(label: string, timeline: number, highest: number): string {
  return (
    `The server at ${label} is an old primary: it is on timeline ${timeline}, and timeline ` +
    `${highest} of the same cluster was seen. It lacks the payments since then, so nothing is ` +
    'written to it. Stop it, or rebuild it as a standby of the new primary.'
  )
}

function foreignCluster(foreign: Writer, mark: ClusterMark | null, first: Writer | null): string {
  const found = `The server at ${foreign.label} is of the cluster ${foreign.state.systemIdentifier}`
  if (mark === null) {
    return (
      `${found}, and the one at ${first?.label} of ${first?.state.systemIdentifier}. ` +
      'All servers of DATABASE_URL must be copies of one cluster: correct DATABASE_URL.'
    )
  }
  return (
    `${found}, and this node worked with ${mark.systemIdentifier}. Correct DATABASE_URL, or ` +
    'accept the other cluster with "tollgate database accept".'
  )
}

function twoPrimaries(one: Writer, other: Writer): string {
  return (
    `The servers at ${one.label} and ${other.label} both accept writes on timeline ` +
    `${one.state.timeline}. Stop the one that lacks payments: nothing shows which it is.`
  )
}
