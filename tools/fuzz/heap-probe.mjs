// Loaded into every Node process of a soak: at SIGUSR2 it collects garbage. It writes down the
// memory that is left, for the soak to read.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const folder = process.env.TOLLGATE_HEAP_FOLDER
if (folder !== undefined) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  const file = join(folder, `${process.pid}.json`)
  let count = 0
  process.on('SIGUSR2', () => {
    collect()
    count += 1
    writeFileSync(`${file}.draft`, JSON.stringify({ count, ...process.memoryUsage() }))
    renameSync(`${file}.draft`, file)
  })
}
