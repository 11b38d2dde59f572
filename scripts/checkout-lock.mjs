// Keeps two copies that start at once from installing or building over each other.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, tell, ToolchainError } from './running.mjs'

/** Nothing of this folder is kept in git: a Node of our own, and the lock. */
export const NODE_FOLDER = join(root, '.node')
const LOCK_PATIENCE_MS = 15 * 60_000

/** Whether a process runs; a dead one whose parent has not collected it does not. */
function isAlive(pid) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error.code === 'EPERM'
  }
  try {
    return !/^\d+ \(.*\) Z /s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true // A system without /proc.
  }
}

/** The process that holds the lock; null while it is being written or once it is removed. */
function lockHolder(lock) {
  try {
    const pid = Number(readFileSync(join(lock, 'pid'), 'utf8'))
    return Number.isInteger(pid) && pid > 0 ? pid : null
  } catch {
    return null
  }
}

/**
 * Does work that changes the checkout while no other copy does. Making a folder is atomic, so its
 * maker has the lock. A lock whose process is gone is moved away, which is atomic too.
 */
export async function locked(work) {
  const lock = join(NODE_FOLDER, 'lock')
  const end = Date.now() + LOCK_PATIENCE_MS
  let told = false
  let unheldSince = 0
  for (;;) {
    try {
      mkdirSync(NODE_FOLDER, { recursive: true })
      mkdirSync(lock)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') {
        throw new ToolchainError(
          `The folder ${root} cannot be written (${error.code}), and its packages or build ` +
            'are not up to date. Run this once as a user who may write there.',
        )
      }
    }
    const holder = lockHolder(lock)
    unheldSince = holder === null ? unheldSince || Date.now() : 0
    const isStale = holder === null ? Date.now() - unheldSince > 2_000 : !isAlive(holder)
    if (isStale) {
      removeLock(lock, holder)
      unheldSince = 0
      continue
    }
    if (Date.now() > end) {
      throw new ToolchainError(
        `Process ${holder} holds ${lock} for too long: if it is no install or build of this ` +
          'checkout, delete that folder and start again.',
      )
    }
    if (!told) tell('Waiting for another copy that is installing or building here ...')
    told = true
    await new Promise((wake) => setTimeout(wake, 100))
  }
  writeFileSync(join(lock, 'pid'), String(process.pid))
  try {
    return await work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

/** Removes a dead holder's lock, and restores it if its holder turns out to be alive. */
function removeLock(lock, holder) {
  const aside = `${lock}.${process.pid}`
  try {
    renameSync(lock, aside)
  } catch {
    return // Another copy was faster.
  }
  if (lockHolder(aside) === holder) rmSync(aside, { recursive: true, force: true })
  else renameSync(aside, lock) // Fails, and so does this start, if a third copy came in between.
}
