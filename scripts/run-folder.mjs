// The folder for everything that a run of the tests writes.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The usual place of a file system in memory on Linux. */
const MEMORY = '/dev/shm'
/** The type of such a file system, as `statfs` returns it. */
const TMPFS = 0x01021994
/** Short: the path of a Unix socket has 107 characters, and Chromium makes one far below. */
const PREFIX = 'tollgate-'
/** A clone with its packages takes 0.5 GB of it, and each database cluster 40 MB. */
const ROOM_BYTES = 3 * 1024 ** 3

/**
 * Makes an empty folder: in memory, where there is room and programs may run, else on the disk. A
 * database cluster has 1,700 files and a clone 40,000. A disk can take most of a millisecond of
 * computing for each of them, and memory takes less than a tenth of that.
 */
export function makeRunFolder(memory = MEMORY) {
  const folder = makeInMemory(memory) ?? mkdtempSync(join(tmpdir(), PREFIX))
  // PostgreSQL runs as another user in some tests, and passes through it.
  chmodSync(folder, 0o711)
  return folder
}

function makeInMemory(memory) {
  let folder = null
  try {
    const { type, bsize, bavail } = statfsSync(memory)
    const hasRoom = bsize * bavail >= ROOM_BYTES && process.availableMemory() >= 2 * ROOM_BYTES
    if (type !== TMPFS || !hasRoom) return null
    folder = mkdtempSync(join(memory, PREFIX))
    if (runsPrograms(folder)) return folder
  } catch {
    // Another system, or a folder that is not ours to use.
  }
  if (folder !== null) rmSync(folder, { recursive: true, force: true })
  return null
}

/** Containers often have a file system in memory that holds data alone. */
function runsPrograms(folder) {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o700 })
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0
}
