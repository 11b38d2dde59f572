import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { processesInside } from '../src/running-process.ts'
import { builtProgram } from './built-program.ts'
import { CHILD_ENVIRONMENT } from './child-environment.ts'

/** For a start that compiles everything, on a machine that is busy and slow. */
const DEADLINE_MS = 420_000

/** A program under test, with all its output and a mark on it and on its children. */
export interface Program {
  readonly child: ChildProcess
  readonly mark: string
  /** stdout and stderr together. */
  output(): string
  /** Waits until the output has a line that matches; fails with the output when none comes. */
  line(pattern: RegExp): Promise<RegExpExecArray>
  /** Waits for the end; the exit code, or the signal's name. */
  end(): Promise<number | string>
}

export interface ProgramOptions {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly uid?: number
  readonly gid?: number
  /** The text for its standard input; empty without. */
  readonly input?: string
}

/** Runs one of the programs in `fixtures/`, or a source by its address. */
export function runProgram(fixture: string | URL, options: ProgramOptions = {}): Program {
  const file =
    typeof fixture === 'string' ? new URL(`fixtures/${fixture}`, import.meta.url) : fixture
  const mark = randomUUID()
  const { uid, gid, env, input, args = [] } = options
  const identity = uid === undefined ? {} : { uid, gid: gid ?? uid }
  const child = spawn(
    process.execPath,
    ['--conditions=tollgate-source', builtProgram(file), ...args],
    {
      ...identity,
      cwd: '/',
      env: { ...CHILD_ENVIRONMENT, TOLLGATE_TEST_MARK: mark, ...env },
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    },
  )
  child.stdin?.on('error', () => undefined) // A program that does not read it may have ended.
  child.stdin?.end(input)
  return watch(child, mark)
}

/** Follows a started program whose stdout and stderr are pipes. */
export function watch(child: ChildProcess, mark: string): Program {
  let said = ''
  const listeners = new Set<() => void>()
  const hear = (chunk: Buffer): void => {
    said += chunk.toString()
    for (const listener of listeners) listener()
  }
  // A test that fails halfway must not leave its program running.
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  child.stdout?.on('data', hear)
  child.stderr?.on('data', hear)
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => {
      process.off('exit', kill)
      resolve(signal ?? code ?? 'nothing')
    })
  })

  const line = (pattern: RegExp): Promise<RegExpExecArray> => {
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>()
    const look = (): void => {
      const found = pattern.exec(said)
      if (found === null) return
      listeners.delete(look)
      clearTimeout(timer)
      resolve(found)
    }
    const missing = (why: string): void => {
      listeners.delete(look)
      clearTimeout(timer)
      reject(new Error(`No line ${pattern} (${why}). The program said:\n${said}`))
    }
    const timer = setTimeout(() => missing('deadline'), DEADLINE_MS)
    listeners.add(look)
    look()
    void ended.then((how) => missing(`it ended with ${how}`))
    return promise
  }
  return { child, mark, output: () => said, line, end: () => ended }
}

/** Processes that carry a program's mark, or work inside a folder; empty when nothing is left. */
export function leftBehind(mark: string, folder: string): number[] {
  const marked = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(mark)
      } catch {
        return false
      }
    })
  return [...marked, ...processesInside(folder)]
}

/** Ends processes at once. One that has ended meanwhile is no error. */
export function killAll(pids: readonly number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** The user `nobody`, which every Linux machine has. */
export const NOBODY = { uid: 65_534, gid: 65_534 } as const

/**
 * False when tests can run as another user: they run as root, from a checkout that others may
 * enter. Else the reason for the skipped test.
 */
export function canBecomeNobody(): false | string {
  if (process.getuid?.() !== 0) return 'needs root, to become another user'
  const source = fileURLToPath(new URL('program.ts', import.meta.url))
  const tried = spawnSync(process.execPath, ['--check', source], { ...NOBODY, cwd: '/' })
  return tried.status === 0 ? false : 'needs a checkout that other users may enter'
}

/** A new folder with a space in its name, removed after the test. */
export function temporaryFolder(t: { after(work: () => void): void }, mode = 0o700): string {
  const outer = mkdtempSync(join(tmpdir(), 'tollgate-test-'))
  t.after(() => rmSync(outer, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  chmodSync(outer, 0o755)
  const folder = join(outer, 'with space')
  mkdirSync(folder)
  chmodSync(folder, mode)
  return folder
}
