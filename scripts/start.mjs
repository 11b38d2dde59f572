// `npm start`: installs and builds what is missing, then runs `tollgate`, by default `tollgate
// start`.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root, runMain } from './running.mjs'
import { prepareToolchain } from './toolchain.mjs'

const PARENT_CHECK_MS = 500

/**
 * Runs the program until it ends and forwards signals. It gets a session of its own, so that a
 * Ctrl-C reaches it once, through us. Its channel stops it when we are killed.
 */
function supervise(node, args) {
  const cli = join(root, 'packages', 'tollgate', 'dist', 'cli.js')
  const child = spawn(node, [cli, ...args], {
    detached: true,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal))
  stopWithParent(() => child.kill('SIGTERM'))
  return new Promise((settle, fail) => {
    child.once('error', fail)
    child.once('exit', (code, signal) => settle(code ?? (signal === null ? 1 : 128)))
  })
}

/**
 * npm starts us through a shell, and a signal sent to npm can end the shell and stop there. When
 * npm started us and our first parent is gone, the program has to stop.
 */
function stopWithParent(stop) {
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const check = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(check)
    stop()
  }, PARENT_CHECK_MS)
  check.unref()
}

await runMain(async (args) => supervise(await prepareToolchain(), args))
