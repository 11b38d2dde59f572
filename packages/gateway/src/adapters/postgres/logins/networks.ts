import pg from 'pg'

/** A network as the database stores it, `192.0.2.7` as `192.0.2.7/32`; null for what is none. */
export async function readNetwork(pool: pg.Pool, text: string): Promise<string | null> {
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
