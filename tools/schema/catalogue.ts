import type pg from 'pg'

type Database = Pick<pg.ClientBase, 'query'>

const HEAD = [
  '-- The schema that the migrations of this folder make, and the rows that they put in.',
  '-- Written by `npm run schema` from a freshly migrated database; not read by any program.',
]

/**
 * Everything that migrations made in the schema `public`, as SQL-like text. The same schema gives
 * the same text, so that a difference of two texts is a difference of two schemas.
 */
export async function describeSchema(database: Database): Promise<string> {
  // Names outside pg_catalog are written with their schema only where it is not `public`.
  await database.query('set search_path to public')
  const blocks = [
    ...(await texts(database, EXTENSIONS)),
    ...(await texts(database, TYPES)),
    ...(await texts(database, SEQUENCES)),
    ...(await tables(database)),
    ...(await texts(database, VIEWS)),
    ...(await texts(database, FUNCTIONS)),
    ...(await texts(database, EVENT_TRIGGERS)),
    ...(await texts(database, GRANTS)),
    ...(await texts(database, COMMENTS)),
    ...(await rowBlocks(database)),
  ]
  return [HEAD.join('\n'), ...blocks, ''].join('\n\n').replace(/\n+$/, '\n')
}

/** One text a row, from a query with the one column `text`. */
async function texts(database: Database, query: string, values: unknown[] = []): Promise<string[]> {
  const { rows } = await database.query<{ text: string }>(query, values)
  return rows.map(({ text }) => text)
}

async function tables(database: Database): Promise<string[]> {
  const { rows } = await database.query<{ oid: string; head: string; tail: string }>(TABLES)
  const blocks: string[] = []
  for (const { oid, head, tail } of rows) {
    const inside = [
      ...(await texts(database, COLUMNS, [oid])),
      ...(await texts(database, CONSTRAINTS, [oid])),
    ]
    const after = [
      ...(await texts(database, INDEXES, [oid])),
      ...(await texts(database, TRIGGERS, [oid])),
      ...(await texts(database, POLICIES_AND_RULES, [oid])),
    ]
    const table = `${head} (\n${inside.map((line) => `  ${line}`).join(',\n')}\n)${tail};`
    blocks.push([table, ...after].join('\n'))
  }
  return blocks
}

/**
 * Rows that migrations inserted. The list of migrations is left out: it has times, and else only
 * file names. So is the identity, which each database draws at random.
 */
async function rowBlocks(database: Database): Promise<string[]> {
  const names = await texts(
    database,
    `select oid::regclass::text as text from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r'
        and relname not in ('schema_migrations', 'database_identity')
      order by relname collate "C"`,
  )
  const blocks: string[] = []
  for (const name of names) {
    const rows = await texts(
      database,
      `select t::text as text from ${name} t order by t::text collate "C"`,
    )
    if (rows.length > 0)
      blocks.push([`rows of ${name}:`, ...rows].join('\n-- ').replace(/^/, '-- '))
  }
  return blocks
}

const EXTENSIONS = `
  select format('create extension %I version %L;', extname, extversion) as text
    from pg_extension where extname <> 'plpgsql' order by extname collate "C"`

const TYPES = `
  select case typtype
           when 'e' then format('create type %s as enum (%s);', t.oid::regtype,
             (select string_agg(quote_literal(enumlabel), ', ' order by enumsortorder)
                from pg_enum where enumtypid = t.oid))
           when 'd' then format('create domain %s as %s%s%s;', t.oid::regtype,
             format_type(typbasetype, typtypmod),
             case when typnotnull then ' not null' else '' end,
             (select string_agg(' ' || pg_get_constraintdef(oid), '' order by conname collate "C")
                from pg_constraint where contypid = t.oid and contype = 'c'))
           else format('create type %s as composite (%s);', t.oid::regtype,
             (select string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' order by attnum)
                from pg_attribute where attrelid = t.typrelid and attnum > 0))
         end as text
    from pg_type t
   where typnamespace = 'public'::regnamespace
     and (typtype in ('e', 'd')
       or typtype = 'c' and exists (select from pg_class where oid = typrelid and relkind = 'c'))
   order by typname collate "C"`

/**
 * The properties of a sequence, without the name. The start is the first number in a fresh
 * database.
 */
const SEQUENCE_FACTS = `
  format('as %s start %s increment %s minvalue %s maxvalue %s cache %s%s',
    format_type(s.seqtypid, null), s.seqstart, s.seqincrement, s.seqmin, s.seqmax, s.seqcache,
    case when s.seqcycle then ' cycle' else '' end)`

const SEQUENCES = `
  select format('create %ssequence %s %s;',
           case c.relpersistence when 'u' then 'unlogged ' else '' end,
           c.oid::regclass, ${SEQUENCE_FACTS}) as text
    from pg_sequence s join pg_class c on c.oid = s.seqrelid
   where c.relnamespace = 'public'::regnamespace
     and not exists (select from pg_depend
                      where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'i')
   order by c.relname collate "C"`

const TABLES = `
  select c.oid::text as oid,
         format('create %s%s %s',
           case c.relpersistence when 'u' then 'unlogged ' else '' end,
           case c.relkind when 'f' then 'foreign table' else 'table' end,
           c.oid::regclass) as head,
         concat(
           (select string_agg(' inherits ' || inhparent::regclass, '' order by inhseqno)
              from pg_inherits where inhrelid = c.oid),
           ' ' || pg_get_expr(c.relpartbound, c.oid),
           case c.relkind when 'p' then ' partition by ' || pg_get_partkeydef(c.oid) end,
           ' with (' || nullif(array_to_string(array(
             select unnest(c.reloptions) union all
             select 'toast.' || unnest(t.reloptions) order by 1), ', '), '') || ')',
           case when c.relrowsecurity then ' row level security' end,
           case when c.relforcerowsecurity then ' forced' end,
           case c.relreplident when 'd' then null else ' replica identity ' || c.relreplident::text end)
         as tail
    from pg_class c left join pg_class t on t.oid = c.reltoastrelid
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'f')
   order by c.relname collate "C"`

const COLUMNS = `
  select concat(quote_ident(a.attname), ' ', format_type(a.atttypid, a.atttypmod),
           case when a.attcollation not in (0, t.typcollation)
             then ' collate ' || a.attcollation::regcollation end,
           case when a.attnotnull then ' not null' end,
           case a.attidentity when 'a' then ' generated always as identity'
             when 'd' then ' generated by default as identity' end,
           case when a.attidentity <> '' then ' (' || (
             select ${SEQUENCE_FACTS} from pg_sequence s
              where s.seqrelid = pg_get_serial_sequence(a.attrelid::regclass::text, a.attname)::regclass
           ) || ')' end,
           case when d.oid is null then null
             when a.attgenerated = '' then ' default ' || pg_get_expr(d.adbin, d.adrelid)
             else ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ')'
               || case a.attgenerated when 's' then ' stored' else ' virtual' end end,
           case when a.attstorage <> t.typstorage then ' storage ' || a.attstorage::text end,
           ' compression ' || nullif(a.attcompression::text, ''),
           ' statistics ' || nullif(a.attstattarget, -1),
           ' with (' || array_to_string(a.attoptions, ', ') || ')') as text
    from pg_attribute a
    join pg_type t on t.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped
   order by a.attnum`

/** "Not null" stands with its column: some versions of PostgreSQL also list it here. */
const CONSTRAINTS = `
  select format('constraint %I %s', conname, pg_get_constraintdef(oid)) as text
    from pg_constraint
   where conrelid = $1::oid and contype in ('p', 'u', 'c', 'x', 'f')
   order by position(contype::text in 'puxcf'), conname collate "C"`

/** Without those that a constraint made; their storage parameters are in its definition. */
const INDEXES = `
  select pg_get_indexdef(i.indexrelid) || case when i.indisvalid then '' else ' -- not valid' end
           || ';' as text
    from pg_index i join pg_class c on c.oid = i.indexrelid
   where i.indrelid = $1::oid
     and not exists (select from pg_constraint where conindid = i.indexrelid and conrelid = i.indrelid)
   order by c.relname collate "C"`

const TRIGGERS = `
  select pg_get_triggerdef(oid)
           || case tgenabled when 'O' then '' else ' -- enabled: ' || tgenabled::text end || ';' as text
    from pg_trigger where tgrelid = $1::oid and not tgisinternal order by tgname collate "C"`

const POLICIES_AND_RULES = `
  select format('create policy %I on %s as %s for %s to %s using (%s) with check (%s);', polname,
           polrelid::regclass, case when polpermissive then 'permissive' else 'restrictive' end,
           polcmd, array_to_string(polroles::regrole[], ', '), pg_get_expr(polqual, polrelid),
           pg_get_expr(polwithcheck, polrelid)) as text
    from pg_policy where polrelid = $1::oid
  union all
  select pg_get_ruledef(oid) from pg_rewrite where ev_class = $1::oid
   order by 1`

const VIEWS = `
  select format(E'create %sview %s%s as\\n%s', case relkind when 'm' then 'materialized ' else '' end,
           oid::regclass, ' with (' || array_to_string(reloptions, ', ') || ')',
           pg_get_viewdef(oid)) as text
    from pg_class where relnamespace = 'public'::regnamespace and relkind in ('v', 'm')
   order by relname collate "C"`

const FUNCTIONS = `
  select case prokind when 'a' then format('aggregate %s', oid::regprocedure)
           else rtrim(pg_get_functiondef(oid), E'\\n') || ';' end as text
    from pg_proc where pronamespace = 'public'::regnamespace
   order by proname collate "C", oid::regprocedure::text collate "C"`

const EVENT_TRIGGERS = `
  select format('create event trigger %I on %s execute function %s; -- enabled: %s', evtname,
           evtevent, evtfoid::regproc, evtenabled) as text
    from pg_event_trigger order by evtname collate "C"`

/** Rights that differ from the ones which an owner has without being granted any. */
const GRANTS = `
  select format('-- rights on %s: %s', name, array_to_string(acl, ', ')) as text
    from (select oid::regclass::text as name, relacl as acl from pg_class
           where relnamespace = 'public'::regnamespace
          union all
          select format('%s.%I', attrelid::regclass, attname), attacl
            from pg_attribute join pg_class c on c.oid = attrelid
           where relnamespace = 'public'::regnamespace
          union all
          select oid::regprocedure::text, proacl from pg_proc
           where pronamespace = 'public'::regnamespace
          union all
          select 'what is made later (' || defaclobjtype::text || ')', defaclacl from pg_default_acl) rights
   where acl is not null order by name collate "C"`

const COMMENTS = `
  select format('comment on %s is %L;', pg_describe_object(classoid, objoid, objsubid), description)
           as text
    from pg_description, pg_identify_object(classoid, objoid, objsubid) what
   where what.schema = 'public' order by 1`
