import type { DatabaseFacts, SchemaFacts } from '@tollgate/gateway/operator-doctor'
import { OTHER_CONNECTIONS } from '../postgres/machine-settings.ts'
import { fault, good, warning, type Finding } from './finding.ts'

const PART = 'database'
const VERSION_MIN = 150_000
/** Certificates, 3-D Secure and tokens compare times of several machines. */
const CLOCK_WARNS_MS = 2_000
const CLOCK_FAILS_MS = 30_000
/** The limits of a server are shared with other programs. */
const FEW_CONNECTIONS_LEFT = 0.9

/** Facts of this node that the database is judged by. */
export interface DatabaseNeeds {
  readonly isProduction: boolean
  /** Whether a start applies pending migrations, rather than `tollgate migrate`. */
  readonly migratesAtStart: boolean
  /** Connections that the gateway of this node opens at most. */
  readonly connections: number
}

/** Judges the server that the settings lead to. */
export function judgeDatabase(facts: DatabaseFacts, needs: DatabaseNeeds): readonly Finding[] {
  return [
    judgeVersion(facts),
    judgeEncryption(facts, needs),
    ...judgeDurability(facts),
    judgeConnections(facts, needs),
    judgeClock(facts),
    ...judgeSchema(facts, needs),
  ].filter((finding) => finding !== null)
}

function judgeVersion({ version, versionNumber, encoding }: DatabaseFacts): Finding {
  if (versionNumber < VERSION_MIN) {
    return fault(PART, `PostgreSQL ${version}, and 15 or newer is needed.`, 'Update the server.')
  }
  if (encoding !== 'UTF8') {
    const found = `The encoding of the database is ${encoding}, and UTF8 is needed.`
    return fault(PART, found, "Create the database with encoding 'UTF8'.")
  }
  return good(PART, `PostgreSQL ${version} answers.`)
}

function judgeEncryption(
  { isEncrypted }: DatabaseFacts,
  { isProduction }: DatabaseNeeds,
): Finding | null {
  if (isEncrypted === null) return good(PART, 'The connection does not leave this machine.')
  if (isEncrypted) return good(PART, 'The connection is encrypted.')
  const found = 'The connection is not encrypted.'
  if (!isProduction) return good(PART, found)
  return warning(PART, found, 'Set DATABASE_CA to the certificate of its authority.')
}

function judgeDurability(facts: DatabaseFacts): readonly Finding[] {
  const { fsync, fullPageWrites, synchronousCommit } = facts
  const lost = 'An approved payment can be lost when the server stops.'
  const settings = [
    fsync ? null : 'fsync',
    fullPageWrites ? null : 'full_page_writes',
    synchronousCommit === 'off' ? 'synchronous_commit' : null,
  ].filter((name) => name !== null)
  if (settings.length === 0) return [good(PART, 'Commits are on the disk when they are reported.')]
  return settings.map((name) =>
    fault(PART, `${name} is off. ${lost}`, `Set ${name} = on in postgresql.conf, and reload.`),
  )
}

function judgeConnections(
  { mostConnections, connections }: DatabaseFacts,
  needs: DatabaseNeeds,
): Finding {
  const found = `The server allows ${mostConnections} connections, and ${connections} are open.`
  const need = `${found} The gateway of this node opens up to ${needs.connections}.`
  if (needs.connections > mostConnections) {
    return fault(PART, need, 'Raise max_connections, or lower WORKERS.')
  }
  if (needs.connections + OTHER_CONNECTIONS > mostConnections) {
    const others = `Commands, starts and backups need ${OTHER_CONNECTIONS} more.`
    return warning(PART, `${need} ${others}`, 'Raise max_connections, or lower WORKERS.')
  }
  if (connections > mostConnections * FEW_CONNECTIONS_LEFT) {
    return warning(PART, found, 'Raise max_connections, or stop programs that use the server.')
  }
  return good(PART, found)
}

function judgeClock({ clockAheadMs, clockDoubtMs }: DatabaseFacts): Finding {
  const apart = Math.max(0, Math.abs(clockAheadMs) - clockDoubtMs)
  const seconds = (apart / 1_000).toFixed(1)
  const side = clockAheadMs > 0 ? 'ahead of' : 'behind'
  const found = `The clock of the database is ${seconds} s ${side} the clock of this machine.`
  const advice = 'Set both clocks by NTP.'
  if (apart >= CLOCK_FAILS_MS) return fault('clock', found, advice)
  if (apart >= CLOCK_WARNS_MS) return warning('clock', found, advice)
  return good('clock', 'The clocks of this machine and of the database agree.')
}

function judgeSchema(
  { schema, knownSchema, role }: DatabaseFacts,
  { isProduction, migratesAtStart }: DatabaseNeeds,
): readonly Finding[] {
  if (schema === null) {
    if (migratesAtStart) return [good(PART, 'It has no schema yet: the first start makes it.')]
    return [fault(PART, 'It has no schema yet.', MIGRATE)]
  }
  const findings = [judgeSchemaVersion(schema, knownSchema, migratesAtStart)]
  if (schema.unreadable.length > 0) {
    const { length, 0: first = '' } = schema.unreadable
    const found = `The role ${role} may not read ${length} tables, such as ${first}.`
    const advice = `As the owner of the schema, run: tollgate migrate --serving-role ${role}`
    findings.push(fault(PART, found, advice))
  }
  if (isProduction && schema.ownsAuditLog) {
    const found =
      `The role ${role} owns the tables, so it can switch off the protection of the ` + 'audit log.'
    const advice = 'Serve with a role of its own: docs/operators/audit-log.md.'
    findings.push(warning(PART, found, advice))
  }
  if (schema.unknownZones.length > 0) {
    const zones = schema.unknownZones.join(', ')
    const found = `The server does not know these time zones of merchants: ${zones}.`
    findings.push(fault('time zones', found, 'Update the time zones (tzdata) of the server.'))
  }
  return findings
}

const MIGRATE = 'Run: tollgate migrate. No node starts before: docs/operators/upgrades.md.'

function judgeSchemaVersion(
  { version, oldestProgram }: SchemaFacts,
  known: number,
  migratesAtStart: boolean,
): Finding {
  const has = `The database has schema ${version}`
  if (oldestProgram > known) {
    const needs = `which needs programs from schema ${oldestProgram} on`
    const found = `${has}, ${needs}. This one has ${known}.`
    return fault(PART, found, 'Run the newer version that migrated it.')
  }
  if (version < known) {
    const found = `${has}, and this version needs ${known}.`
    if (!migratesAtStart) return fault(PART, found, MIGRATE)
    return warning(PART, found, 'The next start migrates it. Make a backup first.')
  }
  if (version > known) {
    return good(PART, `${has}, and this version with schema ${known} runs beside newer ones.`)
  }
  return good(PART, `It has schema ${version}, that of this version.`)
}
