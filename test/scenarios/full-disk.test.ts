import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { SYNCED } from '../../packages/tollgate/test/cluster-template.ts'
import { assertBooksAgree, assertKept } from '../support/agreeing-books.ts'
import { startRunningGateway } from '../support/running-gateway.ts'
import { openShop } from '../support/shop.ts'

test('a disk that is full is answered 503, and the books agree when there is room again', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-small-disk-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=320m,mode=700', 'tmpfs', folder])
  if (mounted.status !== 0) {
    rmSync(folder, { recursive: true })
    const missing = 'a small disk cannot be mounted here: that takes root, and mount'
    process.stderr.write(`SKIPPED: ${missing}\n`)
    t.skip(missing)
    return
  }
  const undo: (() => unknown)[] = [
    () => rmSync(folder, { recursive: true, force: true }),
    () => spawnSync('umount', ['-l', folder]),
  ]
  try {
    const gateway = await startRunningGateway({ BANK_TIMEOUT_MS: '2000' }, undefined, {
      folder: join(folder, 'postgres'),
      settings: SYNCED, // A disk may also refuse a block when it is synced.
    })
    undo.push(() => gateway.stop())
    const shop = openShop(gateway.client(), 4)
    await shop.untilApproved(20)

    const filler = join(folder, 'filler')
    const isOver = whenDone(shop.untilToldOtherwise(20))
    while (!isOver()) {
      fill(filler) // The server frees room by itself, which has to be filled again.
      await pause()
    }
    rmSync(filler)
    const goesOn = whenDone(shop.untilApproved(20))
    while (!goesOn()) {
      // Out of room for its log the server ends; what watches over it starts it again.
      if (!gateway.isDatabaseRunning()) await gateway.startDatabase()
      await pause()
    }
    await shop.close()

    await assertBooksAgree(gateway)
    await assertKept(gateway, shop)
    t.diagnostic(`answers: ${JSON.stringify(Object.fromEntries(shop.answers))}`)
  } finally {
    for (const step of undo.toReversed()) await step()
  }
})

/** Writes until the disk takes no more. */
function fill(file: string): void {
  const opened = openSync(file, 'a')
  try {
    for (const size of [1 << 20, 1 << 12]) writeUntilRefused(opened, Buffer.alloc(size, 1))
  } finally {
    closeSync(opened)
  }
}

function writeUntilRefused(opened: number, bytes: Buffer): void {
  try {
    for (;;) if (writeSync(opened, bytes) < bytes.length) return
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  }
}

function whenDone(work: Promise<void>): () => boolean {
  let isDone = false
  void work.then(() => (isDone = true))
  return () => isDone
}

function pause(): Promise<void> {
  return new Promise((wake) => setTimeout(wake, 50))
}
