import type { ChildProcess } from 'node:child_process'

const LOOK_EVERY_MS = 1_000

export interface SilenceTerms {
  /** Looks in a row, one each second, that find no message since the one before. */
  readonly looks: number
  /** Called just before the process is killed. */
  readonly onSilent: () => void
}

/**
 * Kills a process that hangs: one that sends a message each second, and then sends none. The watch
 * begins with its first message. Looks are counted and no time is measured, because a machine that
 * slept has lost seconds and no process hangs for that.
 */
export function killWhenSilent(child: ChildProcess, { looks, onSilent }: SilenceTerms): void {
  let silent = 0
  let watch: NodeJS.Timeout | undefined
  const look = (): void => {
    silent += 1
    if (silent <= looks) return
    clearInterval(watch)
    onSilent()
    child.kill('SIGKILL')
  }
  child.on('message', () => {
    silent = 0
    watch ??= setInterval(look, LOOK_EVERY_MS).unref()
  })
  child.once('exit', () => clearInterval(watch))
}
