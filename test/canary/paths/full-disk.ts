import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { card } from '../marks.ts'
import { payment, untilServed, valueOf, type Path } from '../path.ts'
import { kill } from './bank-faults.ts'

/** The disk full under payments, also while the gateway is started anew; then room again. */
export const fullDisk: Path = {
  name: 'a disk that is full',
  seen: ['fullDisk'],
  async push(run) {
    const number = card('fullDisk')
    if (run.smallDisk === null) {
      process.stderr.write('SKIPPED: a small disk cannot be mounted here: that takes root, and mount\n')
    } else {
      const filler = join(run.smallDisk, 'filler')
      // The server has room in the files of its log for a while; what it frees is taken again.
      const isRefused = (answer: string): boolean => valueOf(answer, 'TRANS_STATUS_NAME') !== 'APPROVED'
      let refused = 0
      for (let round = 0; round < 60 && refused < 3; round += 1) {
        fill(filler)
        const free = { ...payment(number), XTL_UDF01: `${number} `.repeat(12), TRANS_CUSTOMER_RECEIPT: 'r'.repeat(900) }
        const answers = await Promise.all(Array.from({ length: 24 }, () => run.send(free)))
        if (answers.some(isRefused)) refused += 1
      }
      if (refused === 0) throw new Error('The full disk refused nothing.')
      kill(run.processes(), /gateway\/src\/main/)
      await run.send(payment(number))
      rmSync(filler)
    }
    await untilServed(run, number)
  },
}

/** Writes until the disk takes no more. */
function fill(file: string): void {
  const opened = openSync(file, 'a')
  try {
    for (const size of [1 << 20, 1 << 12]) {
      const bytes = Buffer.alloc(size, 1)
      while (writeSync(opened, bytes) === size);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(opened)
  }
}
