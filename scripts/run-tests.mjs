// Runs the test files that it is given with Node's own runner, and in their sequence, which
// `node --test` does not keep.
import { availableParallelism } from 'node:os'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const told = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => told.abort())
const events = run({
  files: process.argv.slice(2),
  // Many wait for time-outs half of the time: one more than the machine has cores keeps it busy.
  concurrency: availableParallelism() + 1,
  timeout: 600_000,
  signal: told.signal,
})
events.on('test:fail', ({ todo }) => {
  if (todo === undefined) process.exitCode = 1
})
events.compose(spec).pipe(process.stdout)
