import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Order, Report } from './messages.ts'
import { ROOT } from './scope.ts'

/** Each mutant leaves its modules in the process, so a process ends after this many. */
const MUTANTS_EACH = 150

/** A process that runs tests for us, replaced when it hangs, dies or has grown. */
export class WorkerProcess {
  #child: ChildProcess | null = null
  #ordered = 0

  /** The answer to an order; null when none came in time or the process died. */
  async ask(order: Order, limitMs: number): Promise<Report | null> {
    if (this.#ordered >= MUTANTS_EACH) await this.stop()
    this.#child ??= start()
    this.#ordered += 1
    const child = this.#child
    const over = new AbortController()
    const late = setTimeout(() => over.abort(), limitMs)
    const died = (): void => over.abort()
    child.once('exit', died)
    try {
      const answer = once(child, 'message', { signal: over.signal })
      child.send(order, () => undefined)
      const [report] = await answer
      return report as Report
    } catch {
      await this.stop()
      return null
    } finally {
      clearTimeout(late)
      child.off('exit', died)
    }
  }

  async stop(): Promise<void> {
    const child = this.#child
    this.#child = null
    this.#ordered = 0
    if (child === null || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
}

function start(): ChildProcess {
  return fork(join(ROOT, 'tools/mutation/worker.ts'), {
    cwd: ROOT,
    execArgv: ['--conditions=tollgate-source', '--disable-warning=ExperimentalWarning'],
    // Tests may print; only the messages count.
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
}
