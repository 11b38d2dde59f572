import type { ChildProcess } from 'node:child_process'

/** Resolves with a description when a child has ended or failed to start. */
export function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
}

/** The last lines of what a program said, set in for use under a sentence. */
export function tail(text: string, lines = 15): string {
  return text
    .trim()
    .split('\n')
    .slice(-lines)
    .map((line) => `  ${line}`)
    .join('\n')
}
