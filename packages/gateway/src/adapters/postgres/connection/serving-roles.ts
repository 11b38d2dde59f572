import pg from 'pg'

/** Tables of which a serving role may do less than read and write rows. */
const RIGHTS: Readonly<Record<string, string>> = {
  audit_entries: 'select, insert',
  audit_head: 'select',
  schema_migrations: 'select',
}
const USUAL_RIGHTS = 'select, insert, update, delete'

// Roles that append to the audit log, and own no part of the schema.
const SERVING_ROLES = `
select pg_get_userbyid(a.grantee)::text as role
  from pg_class c cross join lateral aclexplode(c.relacl) a
 where c.oid = to_regclass('audit_entries') and a.privilege_type = 'INSERT'
   and a.grantee <> 0 and not pg_has_role(a.grantee, c.relowner, 'usage')
 order by 1`

const OBJECTS = `
select c.relname::text as name,
       c.relkind = 'S' as "isSequence",
       c.relkind = 'v' as "isView",
       case when c.relkind = 'S' then has_sequence_privilege($1, c.oid, 'usage')
            else has_table_privilege($1, c.oid, 'select') end as "isGranted"
  from pg_class c
  join pg_class home on home.oid = to_regclass('schema_migrations')
   and c.relnamespace = home.relnamespace and c.relowner = home.relowner
 where c.relkind in ('r', 'p', 'v', 'S')
   -- Rows of a partition are reached through its parent.
   and not c.relispartition
 order by 1`

/**
 * Grants each serving role the tables, views and sequences that it has no right to yet. Rights that
 * an operator took from it stay away. For the transaction that makes a table: triggers of older
 * tables write into it with the rights of the serving role.
 */
export async function grantNewObjects(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ role: string }>(SERVING_ROLES)
  for (const { role } of rows) await grant(client, role, (isGranted) => !isGranted)
}

/** Gives a role the documented rights on everything; returns their number. */
export async function grantServing(client: pg.ClientBase, role: string): Promise<number> {
  const limited = Object.keys(RIGHTS).join(', ')
  await client.query(`revoke all on ${limited} from ${pg.escapeIdentifier(role)}`)
  const { rows } = await client.query<{ schema: string }>(
    `select relnamespace::regnamespace::text as schema from pg_class
      where oid = 'schema_migrations'::regclass`,
  )
  const schema = rows[0]?.schema ?? 'public'
  await client.query(`grant usage on schema ${schema} to ${pg.escapeIdentifier(role)}`)
  return grant(client, role, () => true)
}

/** Why a role cannot serve; null if it can. */
export async function servingRoleFault(
  client: pg.ClientBase,
  role: string,
): Promise<string | null> {
  const { rows } = await client.query<{ owns: boolean }>(
    `select pg_has_role(r.oid, c.relowner, 'usage') as owns
       from pg_roles r join pg_class c on c.oid = 'schema_migrations'::regclass
      where r.rolname = $1`,
    [role],
  )
  const [found] = rows
  if (found === undefined) {
    return `The database has no role ${role}. Create it first: create role ${role} login.`
  }
  return found.owns
    ? `The role ${role} has the rights of the owner of the schema. Name a role without them.`
    : null
}

async function grant(
  client: pg.ClientBase,
  role: string,
  isWanted: (isGranted: boolean) => boolean,
): Promise<number> {
  const { rows } = await client.query<{
    name: string
    isSequence: boolean
    isView: boolean
    isGranted: boolean
  }>(OBJECTS, [role])
  const wanted = rows.filter(({ isGranted }) => isWanted(isGranted))
  for (const { name, isSequence, isView } of wanted) {
    const usual = isView ? 'select' : (RIGHTS[name] ?? USUAL_RIGHTS)
    const rights = isSequence ? 'usage, select' : usual
    const kind = isSequence ? 'sequence' : 'table'
    const to = pg.escapeIdentifier(role)
    await client.query(`grant ${rights} on ${kind} ${pg.escapeIdentifier(name)} to ${to}`)
  }
  return wanted.length
}
