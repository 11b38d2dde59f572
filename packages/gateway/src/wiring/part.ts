import type { FastifyBaseLogger } from 'fastify'
import type { HttpPlugin } from '../http/servers/http-plugin.ts'
import { startWorker, type Job, type Worker } from '../jobs/worker.ts'
import type { Foundation } from './foundation.ts'

/**
 * A part of a gateway process: what it answers, and what it does by itself. Parts are started in
 * the sequence of their list. At the end all of them drain at once; then they stop in reverse.
 */
export interface Part {
  /** The addresses that it answers. */
  readonly routes?: readonly HttpPlugin[]
  /** Addresses of the portal, which may have a server of its own. */
  readonly portalRoutes?: readonly HttpPlugin[]
  /** Addresses of the operator's console, which has a server of its own. */
  readonly consoleRoutes?: readonly HttpPlugin[]
  /** Addresses that pages of shops and of the portal both use. */
  readonly commonRoutes?: readonly HttpPlugin[]
  /** Work of which each piece is done once, by whichever process comes to it. */
  readonly jobs?: readonly Job[]
  /** Jobs that every process repeats for itself. */
  readonly followers?: readonly Job[]
  start?(): Promise<void>
  /** Takes on nothing new, and finishes what is under way. */
  drain?(): Promise<void>
  /** Writes what is left, and releases what it holds. */
  stop?(): Promise<void>
}

/** A follower that looks every so many milliseconds. */
export function follow(name: string, everyMs: number, look: () => Promise<void>): Job {
  return { name, everyMs, run: () => look().then(() => false) }
}

/** The part that runs the followers of others. */
export function wireFollowers(
  { activity, logger }: Pick<Foundation, 'activity' | 'logger'>,
  followers: readonly Job[],
): Part {
  let worker: Worker | null = null
  return {
    start() {
      worker = startWorker(followers, activity, (what, error) =>
        logger.error({ what, error: String(error) }, 'a job of this process failed'),
      )
      return Promise.resolve()
    },
    drain: () => worker?.stop() ?? Promise.resolve(),
  }
}

/** @throws the first error; the parts after it are not started. */
export async function startParts(parts: readonly Part[]): Promise<void> {
  for (const part of parts) await part.start?.()
}

/** @throws the first error; the parts before it are not stopped. */
export async function stopParts(parts: readonly Part[]): Promise<void> {
  await Promise.all(parts.map((part) => part.drain?.() ?? Promise.resolve()))
  for (const part of parts.toReversed()) await part.stop?.()
}

/**
 * Stops the parts if the work fails. An error of a stop is logged and keeps no other part open; not
 * every part needs to have been started.
 * @throws the error of the work
 */
export async function stopOnFailure<Done>(
  logger: FastifyBaseLogger,
  parts: readonly Part[],
  work: () => Promise<Done>,
): Promise<Done> {
  try {
    return await work()
  } catch (error) {
    const log = (failure: unknown): void =>
      logger.error({ error: String(failure) }, 'a part did not stop after a failed start')
    await Promise.all(parts.map(async (part) => part.drain?.().catch(log)))
    for (const part of parts.toReversed()) await part.stop?.().catch(log)
    throw error
  }
}
