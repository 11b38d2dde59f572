import pg from 'pg'
import { refused, type Result } from '../../../base/refusal.ts'

const LIMIT = 100

/** Networks as the database stores them: `192.0.2.7` becomes `192.0.2.7/32`. */
export async function readNetworks(
  pool: pg.Pool,
  wanted: readonly string[],
): Promise<Result<{ readonly networks: string[] }>> {
  if (wanted.length > LIMIT) {
    return refused('invalid', `${wanted.length} networks were named; at most ${LIMIT} are kept.`)
  }
  const networks = new Set<string>()
  const faults: string[] = []
  for (const text of wanted) {
    const network = await readNetwork(pool, text)
    if (network !== null) networks.add(network)
    else {
      faults.push(
        `"${text}" is no network. Expected an address such as 192.0.2.7 or 2001:db8::7, or a network ` +
          'whose address ends where its length says, such as 192.0.2.0/24.',
      )
    }
  }
  return faults.length > 0 ? refused('invalid', faults) : { ok: true, networks: [...networks] }
}

async function readNetwork(pool: pg.Pool, text: string): Promise<string | null> {
  // Requests over such addresses are known by the IPv4 address in them; the list must have that
  // one.
  if (/^::ffff:/i.test(text)) return null
  try {
    const { rows } = await pool.query<{ network: string }>('select $1::cidr::text as network', [
      text,
    ])
    return rows[0]?.network ?? null
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === '22P02') return null
    throw error
  }
}
