import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { THIS_CHECKOUT } from './measured-servers.ts'

export interface Baseline {
  /** The commit's first twelve digits. */
  readonly commit: string
  /** The folder of its built checkout. */
  readonly checkout: string
}

/** A fault of the caller's commit, as one sentence. */
export class BaselineError extends Error {}

function git(...args: string[]): string {
  const { status, stdout, stderr } = spawnSync('git', ['-C', THIS_CHECKOUT, ...args], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new BaselineError(`git ${args[0]} failed: ${stderr.trim()}`)
  return stdout.trim()
}

function commitOf(name: string): string {
  try {
    return git('rev-parse', '--verify', '--end-of-options', `${name}^{commit}`)
  } catch {
    throw new BaselineError(
      `--against is "${name}", where a commit of this repository is expected.`,
    )
  }
}

/**
 * A built checkout of another commit. It stays in the folder for temporary files, where the next
 * run finds it. Its own scripts install and build it, so it has the packages of its time.
 * @throws BaselineError for a name that is no commit, or a commit that does not build.
 */
export function prepareBaseline(name: string): Baseline {
  const id = commitOf(name)
  const commit = id.slice(0, 12)
  const checkout = join(tmpdir(), 'tollgate-baselines', commit)
  if (!existsSync(checkout)) {
    mkdirSync(join(checkout, '..'), { recursive: true })
    git('clone', '--quiet', '--shared', '--no-checkout', THIS_CHECKOUT, checkout)
    git('-C', checkout, 'checkout', '--quiet', '--detach', id)
  }
  const toolchain = pathToFileURL(join(checkout, 'scripts', 'toolchain.mjs')).href
  const program = `await (await import(${JSON.stringify(toolchain)})).prepareToolchain()`
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: checkout,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (status !== 0) {
    throw new BaselineError(`Commit ${commit} could not be built. Its folder is ${checkout}.`)
  }
  return { commit, checkout }
}
