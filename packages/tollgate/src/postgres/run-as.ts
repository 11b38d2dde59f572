import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  readdirSync,
  readFileSync,
} from 'node:fs'
import { renameSync, rmSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { StartupError } from '../startup-error.ts'
import { postgresEnvironment, type PostgresBinaries } from './binaries.ts'

/**
 * PostgreSQL refuses to run as root and wants a user with a name. How it is run instead:
 * - `self`: as we are;
 * - `namespace`: in a user namespace of its own, where our own user goes by another one's number.
 *   The files stay ours, so it works in folders that no other user may enter;
 * - `user`: as another user, who must then be able to reach the data.
 */
export type RunAs =
  | { readonly kind: 'self' }
  | { readonly kind: 'namespace'; readonly uid: number }
  | { readonly kind: 'user'; readonly name: string; readonly uid: number; readonly gid: number }

export interface Command {
  readonly program: string
  readonly args: readonly string[]
  readonly identity: { readonly uid?: number; readonly gid?: number }
}

interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

function accounts(): Account[] {
  let list = ''
  try {
    list = readFileSync('/etc/passwd', 'utf8')
  } catch {
    // A system that keeps its users elsewhere.
  }
  return list.split('\n').flatMap((line) => {
    const [name = '', , uid = '', gid = ''] = line.split(':')
    return /^\d+$/.test(uid) && name !== '' ? [{ name, uid: Number(uid), gid: Number(gid) }] : []
  })
}

/** The account to borrow: PostgreSQL's own where there is one. */
function borrowedAccount(known: readonly Account[]): Account | undefined {
  return (
    known.find(({ name }) => name === 'postgres') ??
    known.find(({ name }) => name === 'nobody') ??
    known.find(({ uid }) => uid !== 0)
  )
}

function namespaceArgs(uid: number): string[] {
  return ['--user', `--map-user=${uid}`, `--map-group=${uid}`, '--']
}

/** Whether this machine lets us make a user namespace, tried for real. */
function namespacesWork(uid: number): boolean {
  if (process.platform !== 'linux') return false
  return spawnSync('unshare', [...namespaceArgs(uid), 'true'], { stdio: 'ignore' }).status === 0
}

function hasName(): boolean {
  try {
    userInfo()
    return true
  } catch {
    return false
  }
}

/**
 * Chooses how to run PostgreSQL over a cluster. `force` is for tests.
 * @throws StartupError when none of the ways is open.
 */
export function chooseRunAs(clusterDir: string, force?: 'namespace' | 'user'): RunAs {
  const isRoot = process.getuid?.() === 0
  if (!isRoot && hasName()) return { kind: 'self' }
  const known = accounts()
  const owner = existsSync(clusterDir) ? statSync(clusterDir).uid : 0
  if (isRoot && owner !== 0) {
    // The cluster is another user's already: only that user can go on with it.
    const account = known.find(({ uid }) => uid === owner)
    if (account !== undefined) return { kind: 'user', ...account }
    throw new StartupError(
      `The cluster in ${clusterDir} belongs to user id ${owner}, which has no name here. ` +
        'Start Tollgate as that user, or give the folder to root (chown -R root).',
    )
  }
  const borrowed = borrowedAccount(known)
  const namespaceUid = borrowed?.uid ?? 65_534
  if (force !== 'user' && namespacesWork(namespaceUid))
    return { kind: 'namespace', uid: namespaceUid }
  if (isRoot && borrowed !== undefined) return { kind: 'user', ...borrowed }
  throw new StartupError(
    'PostgreSQL runs neither as root nor as a user without a name, and user namespaces (unshare) ' +
      'are not available here. Start Tollgate as an ordinary user, or set DATABASE_URL.',
  )
}

let deathSignalWorks: boolean | undefined

/** Whether the system can stop a child when we die: `setpriv` of util-linux on Linux. */
function canFollowToDeath(): boolean {
  deathSignalWorks ??=
    process.platform === 'linux' &&
    spawnSync('setpriv', ['--pdeathsig', 'INT', 'true'], { stdio: 'ignore' }).status === 0
  return deathSignalWorks
}

/**
 * The command line that runs a program that way. With `diesWithUs` the system sends it SIGINT (a
 * fast shutdown) if this process is killed. If the system cannot, the program continues and the
 * next start stops it.
 */
export function commandAs(
  runAs: RunAs,
  program: string,
  args: readonly string[],
  diesWithUs = false,
): Command {
  // setpriv goes last: a change of user or namespace would forget the signal again.
  let line = [program, ...args]
  if (diesWithUs && canFollowToDeath()) line = ['setpriv', '--pdeathsig', 'INT', '--', ...line]
  if (runAs.kind === 'namespace') line = ['unshare', ...namespaceArgs(runAs.uid), ...line]
  const [first = program, ...rest] = line
  const identity = runAs.kind === 'user' ? { uid: runAs.uid, gid: runAs.gid } : {}
  return { program: first, args: rest, identity }
}

function chownTree(folder: string, uid: number, gid: number): void {
  chownSync(folder, uid, gid)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) chownTree(path, uid, gid)
    else lchownSync(path, uid, gid)
  }
}

function runsAs(
  account: Account,
  program: string,
  args: readonly string[],
  lib: string | null,
): boolean {
  const { uid, gid } = account
  const options = { uid, gid, cwd: '/', stdio: 'ignore', env: postgresEnvironment(lib) } as const
  return spawnSync(program, args, options).status === 0
}

/** A copy of the programs inside the data folder, for a user who cannot enter the checkout. */
function copiedBinaries(
  binaries: PostgresBinaries,
  packageDir: string,
  dataDir: string,
): PostgresBinaries {
  const copy = join(dataDir, `programs-${binaries.major}`)
  const draft = `${copy}.new`
  rmSync(draft, { recursive: true, force: true })
  cpSync(packageDir, draft, { recursive: true, verbatimSymlinks: true })
  rmSync(copy, { recursive: true, force: true })
  renameSync(draft, copy)
  return { ...binaries, binDir: join(copy, 'bin') }
}

/**
 * Makes data and programs reachable for the user that will run them. The data folder is given to
 * that user. Its parent (`DATA_DIR`, ours) lets others pass through without listing it.
 * @returns the programs to use, copied if the user cannot reach the given ones.
 * @throws StartupError when a folder further up keeps the user out.
 */
export function prepareForUser(
  runAs: RunAs & { readonly kind: 'user' },
  dataDir: string,
  binaries: PostgresBinaries,
): PostgresBinaries {
  const parent = dirname(dataDir)
  const parentState = statSync(parent)
  if (parentState.uid === process.getuid?.()) chmodSync(parent, parentState.mode | 0o011)
  chownTree(dataDir, runAs.uid, runAs.gid)
  if (!runsAs(runAs, '/bin/sh', ['-c', 'cd "$1" && test -w .', 'sh', dataDir], null)) {
    throw new StartupError(
      'PostgreSQL does not run as root, and user namespaces (unshare) are not available here. ' +
        `The user ${runAs.name} cannot enter ${dataDir}. Let others pass the folders above it ` +
        '(chmod o+x), set DATA_DIR to another folder, or set DATABASE_URL.',
    )
  }
  const reachable = runsAs(
    runAs,
    join(binaries.binDir, 'postgres'),
    ['--version'],
    binaries.libraryPath,
  )
  if (reachable || binaries.packageDir === null) return binaries
  return copiedBinaries(binaries, binaries.packageDir, dataDir)
}
