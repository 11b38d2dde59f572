import { chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { PostgresSettings } from '../postgres/settings.ts'
import { sentenceOf } from '../startup-error.ts'
import { writeSynced } from './folder-store.ts'
import { LOG, readSegment, segmentName } from './log-segments.ts'
import type { OpenedStore } from './open-store.ts'
import { openObject } from './sealed-object.ts'

const FOLDER = 'log-requests'
const SCRIPT = 'fetch-log.sh'
const WANTED = '.wanted'
const MISSING = '.missing'
const FAILED = '.failed'
const LOOK_EVERY_MS = 50
/** Segments that are fetched and decrypted while the server replays one. */
const AHEAD = 4

/**
 * The server calls this for each segment: it asks this process, and waits. 1 is the end of the log.
 * Anything above 125 stops the recovery: a store that is away must not count as the end of the log.
 */
const FETCH_LOG = `#!/bin/sh
folder=$1 name=$2 target=$3
: > "$folder/$name${WANTED}" || exit 200
tries=0
while [ "$tries" -lt 9000 ]; do
  if [ -e "$folder/$name" ]; then mv "$folder/$name" "$target" && exit 0; exit 200; fi
  if [ -e "$folder/$name${MISSING}" ]; then rm -f "$folder/$name${MISSING}"; exit 1; fi
  if [ -e "$folder/$name${FAILED}" ]; then exit 200; fi
  sleep 0.1
  tries=$((tries + 1))
done
exit 200
`

/** Hands the archived log to a recovering server. */
export interface LogServer {
  /** The setting by which the server asks for segments. */
  readonly settings: PostgresSettings
  /** The last segment that was handed over, and when it was closed; null for none. */
  lastServed(): { readonly name: string; readonly closedAt: string } | null
  /** The reason for which a segment could not be read; null for none. */
  problem(): string | null
  /** Removes its files too. */
  stop(): Promise<void>
}

/**
 * Serves the log out of a store.
 * @param postgresDir the folder of the recovering cluster
 */
export function serveLog(
  postgresDir: string,
  opened: OpenedStore,
  segmentBytes: number,
): LogServer {
  const folder = join(postgresDir, FOLDER)
  const script = join(postgresDir, SCRIPT)
  mkdirSync(folder, { mode: 0o700 })
  writeFileSync(script, FETCH_LOG, { mode: 0o700 })
  const fetched = new Map<string, ReturnType<typeof fetchLog>>()
  let served: { name: string; closedAt: string } | null = null
  let problem: string | null = null
  let isStopped = false

  const fetchOnce = (name: string): ReturnType<typeof fetchLog> => {
    const known = fetched.get(name) ?? fetchLog(opened, name)
    known.catch(() => undefined) // The one who waits for it reports it.
    fetched.set(name, known)
    return known
  }
  const prefetch = (name: string): void => {
    const segment = readSegment(name, segmentBytes)
    if (segment === null) return
    for (let ahead = 1; ahead <= AHEAD; ahead += 1) {
      const next = { timeline: segment.timeline, number: segment.number + ahead }
      void fetchOnce(segmentName(next, segmentBytes))
    }
  }
  const answer = async (name: string): Promise<void> => {
    await rm(join(folder, `${name}${WANTED}`))
    try {
      const found = await fetchOnce(name)
      fetched.delete(name)
      if (found === null) return await place(folder, `${name}${MISSING}`, Buffer.alloc(0))
      prefetch(name)
      await place(folder, name, found.content)
      if (readSegment(name, segmentBytes) !== null) served = { name, closedAt: found.closedAt }
    } catch (error) {
      problem = sentenceOf(error)
      await place(folder, `${name}${FAILED}`, Buffer.alloc(0))
    }
  }
  const run = async (): Promise<void> => {
    while (!isStopped) {
      const wanted = (await readdir(folder)).filter((name) => name.endsWith(WANTED))
      for (const name of wanted) await answer(name.slice(0, -WANTED.length))
      await new Promise((wake) => setTimeout(wake, LOOK_EVERY_MS))
    }
  }
  const running = run()
  return {
    settings: {
      restore_command: ['sh', script, folder, '\0f', '\0p'].map(quoted).join(' '),
    },
    lastServed: () => served,
    problem: () => problem,
    async stop() {
      isStopped = true
      await running
      await rm(folder, { recursive: true, force: true })
      await rm(script, { force: true })
    },
  }
}

/** A word of the shell's; the server puts names in the place of %f and %p only. */
function quoted(word: string): string {
  if (word.startsWith('\0')) return `"%${word.slice(1)}"`
  return `'${word.replaceAll("'", String.raw`'\''`).replaceAll('%', '%%')}'`
}

async function fetchLog(
  { key, store }: OpenedStore,
  name: string,
): Promise<{ readonly content: Buffer; readonly closedAt: string } | null> {
  const object = `${LOG}${name}`
  const sealed = await store.get(object)
  if (sealed === null) return null
  const { content, facts } = await openObject(key, object, sealed)
  return { content, closedAt: String(facts['closedAt']) }
}

/** Puts a file there as a whole, for the user that the server runs as. */
async function place(folder: string, name: string, content: Buffer): Promise<void> {
  const draft = join(folder, `${name}.draft`)
  await writeSynced(draft, content)
  const { gid, uid } = statSync(folder)
  if (process.getuid?.() === 0) chownSync(draft, uid, gid)
  await rename(draft, join(folder, name))
}
