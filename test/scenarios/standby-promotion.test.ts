import type { EmbeddedPostgres } from '@tollgate/tollgate'
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { SYNCED } from '../../packages/tollgate/test/cluster-template.ts'
import { assertBooksAgree, assertKept } from '../support/agreeing-books.ts'
import { openConnectionCutter } from '../support/connection-cutter.ts'
import { startRunningGateway, type RunningGateway } from '../support/running-gateway.ts'
import { openShop } from '../support/shop.ts'
import { promote, startStandby } from '../support/standby.ts'

test('a primary is killed under load and its standby promoted, and no acknowledged payment is lost', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-standby-'))
  const undo: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  try {
    const primaryFolder = join(folder, 'primary')
    let standby: EmbeddedPostgres | null = null
    // An advice that was under way when the primary died waits for this long and ten seconds more.
    const gateway = await startRunningGateway({ BANK_TIMEOUT_MS: '2000' }, undefined, {
      folder: primaryFolder,
      // A commit is acknowledged when both servers have it on their disks.
      settings: SYNCED,
      detour: async (url) => {
        const started = await startStandby({ url, folder: primaryFolder }, join(folder, 'standby'))
        standby = started
        undo.push(() => started.stop('immediate'))
        const addresses = [await openConnectionCutter(started.url), await openConnectionCutter(url)]
        undo.push(() => Promise.all(addresses.map((address) => address.close())))
        // Both servers in one address, as an operator writes it, and the standby first.
        const hosts = addresses.map((address) => new URL(address.url).host).join(',')
        return addresses[0]?.url.replace(/127\.0\.0\.1:\d+/, hosts) ?? ''
      },
    })
    undo.push(() => gateway.stop())
    assert.ok(standby !== null)
    const promoted: EmbeddedPostgres = standby

    const shop = openShop(gateway.client(), 8)
    await shop.untilApproved(100)
    await gateway.stopDatabase('crash')
    await shop.untilToldOtherwise()
    await promote(promoted)
    await shop.untilApproved(100)
    await shop.close()

    const pool = new pg.Pool({ connectionString: promoted.url })
    undo.push(() => pool.end())
    const moved: RunningGateway = { ...gateway, pool }
    const orders = await assertBooksAgree(moved)
    assert.ok(orders >= shop.approved.size)
    await assertKept(moved, shop)
    t.diagnostic(`answers: ${JSON.stringify(Object.fromEntries(shop.answers))}`)
  } finally {
    for (const step of undo.toReversed()) await step()
  }
})
