import { accessSync, constants, existsSync, readFileSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { fault, good, warning, type Finding } from './finding.ts'

/** The room of this machine for the processes of Tollgate. */
export interface MachineFacts {
  /** Files and connections that a process may have open; null where the system does not say. */
  readonly openFiles: number | null
  readonly dataDir: string
  readonly dataDirState: 'writable' | 'missing' | 'not writable'
  /** Free space for DATA_DIR, in bytes. */
  readonly freeBytes: number
  readonly nodeVersion: string
}

const MIB = 1_048_576
const FAULT_BELOW = 200 * MIB
const WARNING_BELOW = 1_024 * MIB
/** Files of a process beside its connections: the database, links, logs, libraries. */
const OTHER_FILES = 256

/** Reads the facts. `DATA_DIR` need not be there yet. */
export function readMachine(dataDir: string): MachineFacts {
  let folder = dataDir
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  const { bavail, bsize } = statfsSync(folder)
  const writable = isWritable(folder)
  return {
    openFiles: readOpenFilesLimit(),
    dataDir,
    dataDirState: !writable ? 'not writable' : folder === dataDir ? 'writable' : 'missing',
    freeBytes: bavail * bsize,
    nodeVersion: process.versions.node,
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function readOpenFilesLimit(): number | null {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const [, soft] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
    return soft === undefined ? null : Number(soft)
  } catch {
    return null
  }
}

/** Judges them. @param maxConnections the setting: connections that a gateway process accepts */
export function judgeMachine(facts: MachineFacts, maxConnections: number): readonly Finding[] {
  return [
    good('machine', `Node ${facts.nodeVersion}.`),
    judgeOpenFiles(facts.openFiles, maxConnections),
    judgeFolder(facts),
    judgeDisk(facts),
  ].filter((finding) => finding !== null)
}

function judgeOpenFiles(openFiles: number | null, maxConnections: number): Finding | null {
  if (openFiles === null) return null
  const needed = maxConnections + OTHER_FILES
  const found = `A process may open ${openFiles} files.`
  if (openFiles >= needed) return good('machine', found)
  return warning(
    'machine',
    `${found} MAX_CONNECTIONS is ${maxConnections}, which needs ${needed}.`,
    `Raise the limit (LimitNOFILE=${needed} or ulimit -n ${needed}), or lower MAX_CONNECTIONS.`,
  )
}

function judgeFolder({ dataDir, dataDirState }: MachineFacts): Finding {
  if (dataDirState === 'writable') return good('disk', `DATA_DIR is ${dataDir}.`)
  if (dataDirState === 'missing') {
    return good('disk', `DATA_DIR is ${dataDir}, which the first start makes.`)
  }
  const found = `DATA_DIR is ${dataDir}, and this user may not write there.`
  return fault('disk', found, 'Change the owner of the folder, or DATA_DIR.')
}

function judgeDisk({ freeBytes }: MachineFacts): Finding {
  const free = Math.floor(freeBytes / MIB)
  const found = `DATA_DIR has ${free} MiB free.`
  const advice = 'Make room: a full disk stops the embedded database and the bundled bank.'
  if (freeBytes < FAULT_BELOW) return fault('disk', found, advice)
  if (freeBytes < WARNING_BELOW) return warning('disk', found, advice)
  return good('disk', found)
}
