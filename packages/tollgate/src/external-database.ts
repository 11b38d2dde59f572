import pg from 'pg'
import { StartupError } from './startup-error.ts'

const CONNECT_DEADLINE_MS = 10_000
const VERSION_MIN = 150_000

/**
 * Checks that the database an operator named is there and new enough.
 * @throws StartupError; never with the address in it, which may hold a password.
 */
export async function checkDatabase(url: string): Promise<void> {
  let client: pg.Client | null = null
  try {
    client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_DEADLINE_MS })
    client.on('error', () => {}) // A connection lost between two queries; the next one tells.
    await client.connect()
    const shown = await client.query<{ server_version_num: string; server_version: string }>(
      `select current_setting('server_version_num') as server_version_num,
              current_setting('server_version') as server_version`,
    )
    const [row] = shown.rows
    if (Number(row?.server_version_num) < VERSION_MIN) {
      throw new StartupError(
        `The database at DATABASE_URL is PostgreSQL ${row?.server_version}, ` +
          'and Tollgate needs 15 or newer.',
      )
    }
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError(
      `The database at DATABASE_URL cannot be used: ${reasonOf(error)}. ` +
        'Check the address, the user and that the server runs.',
    )
  } finally {
    await client?.end().catch(() => {})
  }
}

/** A refused connection to several addresses of one host comes as one error without a text. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) {
    return error.errors.map((each) => reasonOf(each)).join(', ')
  }
  const text = error instanceof Error ? error.message || String(error) : String(error)
  return text.replace(/\.$/, '')
}
