import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import {
  createFeedReader,
  readEvents,
} from '../../../../src/adapters/postgres/events/feed-reader.ts'
import { startTestServer } from '../../../support/database.ts'

test('a connection that has read the feed reads it again after a newer version added a column', async (t) => {
  const server = await startTestServer()
  const pool = new pg.Pool({ connectionString: await server.createDatabase(), max: 1 })
  t.after(() => pool.end().then(() => server.stop()))
  const everything = { merchantId: 10n, siteId: null, types: [] }
  const read = async (): Promise<number> => {
    const page = await createFeedReader(pool).readPage(everything, 0n, 10)
    return page.events.length + (await readEvents(pool, 10n, [])).size
  }

  assert.equal(await read(), 0)
  await pool.query('alter table events add column note text')
  assert.equal(await read(), 0)
})
