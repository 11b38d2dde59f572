import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PLAIN } from './made-release.ts'

/** False where a copy of this machine can be made in memory, else the reason for the skipped tests. */
export function overlayProblem(outer: string): false | string {
  if (process.getuid?.() !== 0) return 'needs root, to copy a machine'
  const folder = join(outer, 'try')
  mkdirSync(folder, { recursive: true })
  const script =
    'mount -t tmpfs none "$1" && mkdir "$1/u" "$1/w" "$1/m" && ' +
    'mount -t overlay overlay -o "lowerdir=/,upperdir=$1/u,workdir=$1/w" "$1/m"'
  const args = ['-m', '-n', 'sh', '-c', script, 'sh', folder]
  const { status } = spawnSync('unshare', args, { env: PLAIN })
  return status === 0 ? false : 'needs an overlay file system'
}

/**
 * Runs a script of this folder, apart from the machine's mounts, network and processes.
 * @returns the output of each step, by its name
 */
export function runOnOverlay(
  name: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): (step: string) => string {
  mkdirSync(args[0] ?? '')
  const script = fileURLToPath(new URL(name, import.meta.url))
  const apart = ['-m', '-n', '-p', '-f', '--kill-child', 'sh', script, ...args]
  const options = { env: { ...PLAIN, ...env }, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync('unshare', apart, options)
  assert.equal(status, 0, stdout + stderr)
  const parts = stdout.split(/^== (.*)\n/m).slice(1)
  const steps = new Map(
    parts.flatMap((part, at) => (at % 2 === 0 ? [[part, parts[at + 1] ?? '']] : [])),
  )
  return (step) => steps.get(step) ?? assert.fail(`${name} has no step ${step}`)
}
