import type pg from 'pg'
import type { AuditEntry } from '../../../usecases/audit/audit-log.ts'

const PORTAL = 'portal:'

/**
 * The entries, in which each operation of a portal user who came in by another user's reset link
 * names that other user. It happens here so that no operation can forget it. An entry that names
 * one already keeps it.
 */
export async function withResetMarks(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  entries: readonly AuditEntry[],
): Promise<readonly AuditEntry[]> {
  const emails = new Set(entries.flatMap(({ actor }) => emailOf(actor) ?? []))
  if (emails.size === 0) return entries
  const { rows } = await client.query<{ email: string; came_in_by: string }>(
    `select email, came_in_by from portal_users
      where email = any($1::text[]) and came_in_by is not null`,
    [[...emails]],
  )
  if (rows.length === 0) return entries
  const makers = new Map(rows.map(({ email, came_in_by: maker }) => [email, maker]))
  return entries.map((entry) => {
    const maker = makers.get(emailOf(entry.actor) ?? '')
    if (maker === undefined) return entry
    return { ...entry, details: { came_in_by: maker, ...entry.details } }
  })
}

function emailOf(actor: string): string | null {
  if (!actor.startsWith(PORTAL)) return null
  return actor.slice(PORTAL.length).toWellFormed().replaceAll('\0', '\ufffd')
}
