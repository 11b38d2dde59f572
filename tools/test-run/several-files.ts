// Runs the test files that its arguments name, in this one process. Each is a suite of its own, so
// its hooks are for its tests alone, and a file that throws while it loads fails alone.
import { before, suite } from 'node:test'
import { pathToFileURL } from 'node:url'

// Loading a file keeps the process for seconds on a slow machine. A test that had started would see
// its time run out.
const loaded = Promise.withResolvers<void>()
before(() => loaded.promise)
for (const file of process.argv.slice(2)) {
  const built = Promise.withResolvers<void>()
  void suite(file, async () => {
    try {
      await import(pathToFileURL(file).href)
    } finally {
      built.resolve()
    }
  })
  await built.promise
}
loaded.resolve()
