// Runs the test files that its arguments name, in this one process. A file that throws while it
// loads ends the process, and so fails all of them.
import { before } from 'node:test'
import { pathToFileURL } from 'node:url'

// Loading a file keeps the process for seconds on a slow machine. A test that had started would see
// its time run out.
const loaded = Promise.withResolvers<void>()
before(() => loaded.promise)
for (const file of process.argv.slice(2)) await import(pathToFileURL(file).href)
loaded.resolve()
