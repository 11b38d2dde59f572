// How the scripts run programs and talk to their caller.
import { spawn } from 'node:child_process'
import { setPriority } from 'node:os'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** A reason that is printed as one sentence, without a stack. */
export class ToolchainError extends Error {}

/** Progress goes to stderr, so that stdout has only the started program's output. */
export function tell(line) {
  process.stderr.write(`${line}\n`)
}

/** Runs a main function; its result, or a reported problem, becomes the exit code. */
export async function runMain(main) {
  try {
    process.exitCode = await main(process.argv.slice(2))
  } catch (error) {
    if (!(error instanceof ToolchainError)) throw error
    tell(error.message)
    process.exitCode = 1
  }
}

/**
 * Runs a program to its end: its exit code, and its output on request. Signals to us meanwhile go
 * to the program, whose end then ends us in the usual way. The niceness is that of `nice`.
 */
export function run(program, args, { quiet = false, niceness = 0, ...options } = {}) {
  return new Promise((settle, fail) => {
    const stdio = quiet ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'inherit', 'inherit']
    const child = spawn(program, args, { cwd: root, stdio, ...options })
    if (niceness !== 0 && child.pid !== undefined) setPriority(child.pid, niceness)
    const handOn = (signal) => child.kill(signal)
    process.on('SIGTERM', handOn).on('SIGINT', handOn)
    const over = () => process.off('SIGTERM', handOn).off('SIGINT', handOn)
    let output = ''
    child.stdout?.on('data', (chunk) => (output += chunk))
    child.stderr?.on('data', (chunk) => (output += chunk))
    child.once('error', (error) => {
      over()
      fail(error)
    })
    child.once('close', (code, signal) => {
      over()
      settle({ code: code ?? 1, signal, output })
    })
  })
}
