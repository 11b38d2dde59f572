// Runs the test files that it is given with Node's own runner, two at a time and in their sequence,
// which `node --test` does not keep.
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const events = run({ files: process.argv.slice(2), concurrency: 2, timeout: 600_000 })
events.on('test:fail', ({ todo }) => {
  if (todo === undefined) process.exitCode = 1
})
events.compose(spec).pipe(process.stdout)
