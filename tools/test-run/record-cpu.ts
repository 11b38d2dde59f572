// Imported before each test file: records the CPU time of its process and of the processes that it
// waited for. The file is the one that TOLLGATE_TEST_CPU names.
import { appendFileSync, readFileSync } from 'node:fs'

const TICKS_PER_SECOND = 100
const out = process.env['TOLLGATE_TEST_CPU']

process.once('exit', () => {
  if (out === undefined) return
  // The first of those that run together in this process.
  const file = process.argv.find((arg) => arg.endsWith('.test.ts'))
  appendFileSync(out, `${file ?? process.argv[1] ?? ''}\t${cpuSeconds()}\n`)
})

/** Of this process and its ended children; elsewhere than on Linux, of this process alone. */
function cpuSeconds(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    // The name, in parentheses, may hold spaces; utime, stime, cutime and cstime come 11 after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return ticks / TICKS_PER_SECOND
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  }
}
