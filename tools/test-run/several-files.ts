// Runs the test files that its arguments name, in this one process. A file that throws while it
// loads ends the process, and so fails all of them.
import { pathToFileURL } from 'node:url'

for (const file of process.argv.slice(2)) await import(pathToFileURL(file).href)
