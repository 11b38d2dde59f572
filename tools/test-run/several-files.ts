// Runs the test files that its arguments name, in this one process. The first argument is a list of
// what to load for each: the file or its bundle. Each is a suite of its own, so
// its hooks are for its tests alone, and a file that throws while it loads fails alone.
import { before, suite } from 'node:test'
import { pathToFileURL } from 'node:url'

// Loading a file keeps the process for seconds on a slow machine. A test that had started would see
// its time run out.
const loaded = Promise.withResolvers<void>()
before(() => loaded.promise)
const [list = '[]', ...files] = process.argv.slice(2)
const loads: readonly string[] = JSON.parse(list)
for (const [at, file] of files.entries()) {
  const built = Promise.withResolvers<void>()
  void suite(file, async () => {
    try {
      await import(pathToFileURL(loads[at] ?? file).href)
    } finally {
      built.resolve()
    }
  })
  await built.promise
}
loaded.resolve()
