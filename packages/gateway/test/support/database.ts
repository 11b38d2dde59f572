import { startEmbeddedPostgres } from '@tollgate/tollgate'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { layCluster } from '../../../tollgate/test/cluster-template.ts'

/**
 * A real PostgreSQL for one test file; each test that wants one gets an empty database of its own.
 */
export interface TestServer {
  createDatabase(): Promise<string>
  stop(): Promise<void>
}

export async function startTestServer(): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-test-'))
  layCluster(folder)
  const server = await startEmbeddedPostgres({ dataDir: folder })
  let made = 0
  return {
    async createDatabase() {
      made += 1
      const name = `test_${made}`
      const client = new pg.Client({ connectionString: server.url })
      await client.connect()
      await client.query(`create database ${name}`)
      await client.end()
      const url = new URL(server.url)
      url.pathname = `/${name}`
      return url.href
    },
    async stop() {
      await server.stop('immediate')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
