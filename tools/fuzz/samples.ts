import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { descendantsOf, roleOf } from './processes.ts'

/** Measured values, by name; one value each time. */
export type Sample = ReadonlyMap<string, number>

const MEGABYTE = 1024 * 1024
const PROBE_MS = 20_000
const LOOK_AGAIN_MS = 20

/**
 * One look at every process of a started program. Node processes: resident memory, heap after a
 * collection, open descriptors. PostgreSQL's: how many there are, and the memory that is only
 * theirs.
 */
export async function takeSample(supervisor: number, heapFolder: string): Promise<Sample> {
  const sample = new Map<string, number>()
  const pids = [supervisor, ...descendantsOf(supervisor)]
  const nodes = pids.filter((pid) => roleOf(pid) !== 'PostgreSQL')
  for (const pid of nodes) process.kill(pid, 'SIGUSR2')
  for (const pid of nodes) {
    const name = roleOf(pid)
    const { heapUsed, external } = await memoryOf(pid, heapFolder)
    sample.set(`${name}, heap after collection (MB)`, heapUsed / MEGABYTE)
    sample.set(`${name}, buffers after collection (MB)`, external / MEGABYTE)
    sample.set(`${name}, resident memory (MB)`, kilobytesOf(pid, 'VmRSS') / 1024)
    sample.set(`${name}, descriptors`, descriptorsOf(pid))
  }
  const servers = pids.filter((pid) => roleOf(pid) === 'PostgreSQL')
  sample.set('PostgreSQL, processes', servers.length)
  const own = servers.reduce((sum, pid) => sum + kilobytesOf(pid, 'RssAnon'), 0)
  sample.set('PostgreSQL, own memory of all (MB)', own / 1024)
  return sample
}

interface NodeMemory {
  readonly heapUsed: number
  readonly external: number
}

const lastSeen = new Map<number, string>()

/** Waits until the probe in that process has answered our signal. */
async function memoryOf(pid: number, folder: string): Promise<NodeMemory> {
  const end = performance.now() + PROBE_MS
  while (performance.now() < end) {
    const text = readOr(join(folder, `${pid}.json`))
    if (text !== '' && text !== lastSeen.get(pid)) {
      lastSeen.set(pid, text)
      return JSON.parse(text) as NodeMemory
    }
    await new Promise((wake) => setTimeout(wake, LOOK_AGAIN_MS))
  }
  throw new Error(`The ${roleOf(pid)} with the id ${pid} did not say how large its heap is.`)
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function kilobytesOf(pid: number, field: string): number {
  const line = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readOr(`/proc/${pid}/status`))
  return Number(line?.[1] ?? 0)
}

function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch {
    return 0
  }
}
