import type { FastifyBaseLogger } from 'fastify'
import { join } from 'node:path'
import type pg from 'pg'
import {
  BankBooksError,
  readBankTerminals,
  readControlAddress,
} from '../adapters/bank-control/bank-books.ts'
import { bankSecretOf } from '../adapters/bank-control/link-secret.ts'
import type { BlockGuard } from '../adapters/postgres/connection/id-blocks.ts'
import { openIdMarks } from '../adapters/postgres/connection/id-marks.ts'
import {
  BLOCK_SEQUENCES,
  ImplausibleIdError,
  mayNoteIds,
  readAssigned,
  readIdentity,
  sequencesBehind,
  takeNote,
  type Advance,
  type IdLevels,
} from '../adapters/postgres/connection/id-sequences.ts'
import { SchemaRightsError } from '../adapters/postgres/connection/schema-fit.ts'
import { messageNumber } from '../adapters/processor-iso8583/message-identity.ts'
import type { GatewayConfig } from '../config/config.ts'
import { advanceIds, describeAdvance, type AdvanceOptions } from './advance-ids.ts'

export interface GuardOptions {
  readonly config: GatewayConfig
  readonly logger: FastifyBaseLogger
  readonly pool: pg.Pool
  readonly actor: string
}

export interface IdGuard extends BlockGuard {
  /** Notes how far all sequences are, those without blocks too. */
  note(): Promise<void>
}

/**
 * Keeps a process from assigning an id twice after an older copy of its database was restored. It
 * compares the sequences with the marks of this node, and with the bundled bank, before the first
 * id is taken.
 */
export async function guardIds({ config, logger, pool, actor }: GuardOptions): Promise<IdGuard> {
  await assertRights(pool)
  const identity = await readIdentity(pool)
  const marks = await openIdMarks(config.dataDir, identity, (error) =>
    logger.error(
      { error: String(error), dataDir: config.dataDir },
      'the id marks cannot be written: a restored backup could assign ids a second time',
    ),
  )
  const raise = async (given: Pick<AdvanceOptions, 'reason' | 'known'>): Promise<void> => {
    const advances = await advanceIds(pool, { actor, by: null, ...given })
    if (advances.length > 0) warn(logger, given.reason, advances)
  }
  const advance = (): Promise<void> => raise({ reason: 'id marks', known: () => marks.levels() })

  if (sequencesBehind(await readAssigned(pool), marks.levels()).length > 0) await advance()
  const atBank = config.bundledBank === 'on' ? await askBank(config, logger) : null
  if (atBank !== null) {
    const known = (assigned: IdLevels): IdLevels => levelsOfBank(assigned, atBank)
    const isBehind = sequencesBehind(await readAssigned(pool), new Map([[MESSAGES, atBank]]))
    if (isBehind.length > 0) await orIgnore(logger, () => raise({ reason: 'bundled bank', known }))
  }
  return { marks, advance, note: async () => marks.note(await takeNote(pool)) }
}

/** Reported at the start, rather than as an error of each note. */
async function assertRights(pool: pg.Pool): Promise<void> {
  if (await mayNoteIds(pool)) return
  throw new SchemaRightsError(
    'The database role of DATABASE_URL may not read database_identity or use id_notes. Grant it ' +
      'SELECT on that table, and USAGE and SELECT on that sequence, as ' +
      'docs/operators/audit-log.md lists them.',
  )
}

const MESSAGES = BLOCK_SEQUENCES.message

/** Rows of one kind, such as lines or requests, that come with a message to the bank. */
const ROWS_OF_A_MESSAGE = 10n

/**
 * The bank knows the message numbers only. The others are estimated from how far those are beyond
 * what the database has assigned.
 */
function levelsOfBank(assigned: IdLevels, highest: bigint): IdLevels {
  const gap = highest - (assigned.get(MESSAGES) ?? 0n)
  if (gap <= 0n) return new Map()
  return new Map(
    Object.values(BLOCK_SEQUENCES).map((name) => [
      name,
      name === MESSAGES ? highest : (assigned.get(name) ?? 0n) + gap * ROWS_OF_A_MESSAGE,
    ]),
  )
}

/** The highest message number that the bundled bank has seen from this gateway; null for none. */
async function askBank(config: GatewayConfig, logger: FastifyBaseLogger): Promise<bigint | null> {
  const { bankInstitutionId, dataDir } = config
  try {
    const address = readControlAddress(join(dataDir, 'bank', 'control-address'))
    let highest: bigint | null = null
    const terminals = await readBankTerminals(address, bankSecretOf(config))
    for (const { acquirer, terminal, stan } of terminals) {
      const number = acquirer === bankInstitutionId ? messageNumber(stan, terminal) : null
      if (number !== null && number > (highest ?? -1n)) highest = number
    }
    return highest
  } catch (error) {
    if (!(error instanceof BankBooksError)) throw error
    logger.info({ reason: error.message }, 'the message numbers at the bank were not compared')
    return null
  }
}

/** Anything may have sent messages to a test bank, which must not keep a gateway from its start. */
async function orIgnore(logger: FastifyBaseLogger, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ImplausibleIdError)) throw error
    logger.warn({ reason: error.message }, 'a message number at the bundled bank was ignored')
  }
}

function warn(logger: FastifyBaseLogger, reason: string, advances: readonly Advance[]): void {
  logger.warn(
    { reason, sequences: advances.map(describeAdvance) },
    'the database is older than ids that were assigned: their sequences were moved beyond them',
  )
}
