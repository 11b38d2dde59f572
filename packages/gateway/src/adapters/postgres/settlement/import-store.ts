import pg from 'pg'
import type { ChainPosition, SettlementSource } from '../../../domain/settlement/file-chain.ts'
import {
  FileRefusedError,
  type FileHeader,
  type FileLine,
} from '../../../domain/settlement/file-record.ts'
import type {
  CheckedFile,
  ImportSession,
  SettlementImportStore,
} from '../../../usecases/settlement/import-store.ts'
import { appendAudit } from '../audit/audit-log.ts'
import { onConnection } from '../connection/database.ts'
import { inTransactionOn } from '../connection/transaction.ts'
import { bookFile } from './book-file.ts'
import { INSERT_LINES, lineColumns } from './line-rows.ts'

/** The first key of the advisory locks of sources; the second is the source. */
const SOURCE_LOCK = 4_140_043

const SOURCE = `
select s.id, s.merchant_id, s.merchant_account_id, a.mode, s.sender, s.receiver, s.account,
       s.currency
  from settlement_sources s join merchant_accounts a on a.id = s.merchant_account_id
 where s.sender = $1 and s.account = $2 and s.currency = $3`

/** @param pool the connection for whole files */
export function createSettlementImportStore(pool: pg.Pool): SettlementImportStore {
  return {
    async findBooked(bytesSha256) {
      const { rows } = await pool.query<{ id: string }>(
        `select id from settlement_files where bytes_sha256 = $1 and state = 'booked'`,
        [bytesSha256],
      )
      return rows[0] === undefined ? null : BigInt(rows[0].id)
    },
    findSource: (header) => findSource(pool, header),
    holdSource: (sourceId, work) =>
      onConnection(pool, async (client) => {
        const { rows } = await client.query<{ held: boolean }>(
          'select pg_try_advisory_lock($1, $2) as held',
          [SOURCE_LOCK, sourceId],
        )
        if (rows[0]?.held !== true) return null
        try {
          return await work(sessionOn(client, sourceId))
        } finally {
          await client.query('select pg_advisory_unlock($1, $2)', [SOURCE_LOCK, sourceId])
        }
      }),
    async recordRefusal({ source, name }, { code, line }, by) {
      await appendAudit(pool, [
        {
          actor: by,
          operation: 'settlement.refused',
          object: source === null ? '' : `settlement source ${source.id}`,
          ...(source === null ? {} : { merchantId: source.merchantId }),
          result: 'refused',
          details: { file: name, code, line },
        },
      ])
    },
  }
}

async function findSource(pool: pg.Pool, header: FileHeader): Promise<SettlementSource | null> {
  const { rows } = await pool.query<{
    id: string
    merchant_id: string
    merchant_account_id: string
    mode: 'test' | 'live'
    sender: string
    receiver: string
    account: string
    currency: string
  }>(SOURCE, [header.sender, header.account, header.currency])
  const [row] = rows
  if (row === undefined) return null
  const { account, currency, mode, receiver, sender } = row
  return {
    id: BigInt(row.id),
    merchantId: BigInt(row.merchant_id),
    merchantAccountId: BigInt(row.merchant_account_id),
    account,
    currency,
    mode,
    receiver,
    sender,
  }
}

function sessionOn(client: pg.PoolClient, sourceId: bigint): ImportSession {
  return {
    readPosition: () => readPosition(client, sourceId),
    async stage(file, by) {
      try {
        return await inTransactionOn(client, null, () => stageFile(client, sourceId, file, by))
      } catch (error) {
        if (!isRepeated(error, 'settlement_files_file_id_key')) throw error
        const reason = `The file_id ${file.header.fileId} is that of another file.`
        throw new FileRefusedError('S11', 1, reason)
      }
    },
    async addLines(fileId, sender, lines) {
      try {
        await client.query({
          name: 'settlement lines',
          text: INSERT_LINES,
          values: [fileId, sender, ...lineColumns(lines)],
        })
        return null
      } catch (error) {
        return repeatedLine(error, lines)
      }
    },
    discard: (fileId) => inTransactionOn(client, null, () => discard(client, [fileId])),
    book: (fileId, at, by) => bookFile(client, fileId, at, by),
  }
}

/** The last booked file of a source; null before the first one. */
export async function readPosition(
  client: Pick<pg.ClientBase | pg.Pool, 'query'>,
  sourceId: bigint,
): Promise<ChainPosition | null> {
  const { rows } = await client.query<{
    seq: string
    content_sha256: string
    closing_minor: string
  }>(
    `select seq, content_sha256, closing_minor from settlement_files
      where source_id = $1 and state = 'booked' order by seq desc limit 1`,
    [sourceId],
  )
  const [row] = rows
  if (row === undefined) return null
  return {
    seq: BigInt(row.seq),
    contentSha256: row.content_sha256,
    closingMinor: BigInt(row.closing_minor),
  }
}

const INSERT_FILE = `
insert into settlement_files
  (source_id, merchant_id, seq, file_id, business_date, value_date, zone, created_at, prev_sha256,
   content_sha256, bytes_sha256, lines, by_kind, opening_minor, gross_minor, fees_minor, net_minor,
   closing_minor, mapping, mapping_version, staged_by)
select id, merchant_id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
       $19, $20
  from settlement_sources where id = $1
returning id`

async function stageFile(
  client: pg.ClientBase,
  sourceId: bigint,
  file: CheckedFile,
  by: string,
): Promise<{ id: bigint; staged: number }> {
  const { bytesSha256, header, mapping, trailer } = file
  const { rows: open } = await client.query<{ id: string; bytes_sha256: string }>(
    `select id, bytes_sha256 from settlement_files
      where source_id = $1 and state = 'staging' for update`,
    [sourceId],
  )
  const same = open.find((row) => row.bytes_sha256 === bytesSha256)
  const others = open.filter((row) => row !== same).map(({ id }) => BigInt(id))
  if (others.length > 0) await discard(client, others)
  if (same !== undefined) {
    const { rows } = await client.query<{ staged: number }>(
      'select coalesce(max(n), 0) as staged from settlement_lines where file_id = $1',
      [same.id],
    )
    return { id: BigInt(same.id), staged: rows[0]?.staged ?? 0 }
  }
  const byKind = Object.fromEntries(
    [...trailer.byKind].map(([kind, { count, net }]) => [kind, [count, net.toString()]]),
  )
  const { rows } = await client.query<{ id: string }>(INSERT_FILE, [
    sourceId,
    header.seq,
    header.fileId,
    header.businessDate,
    header.valueDate,
    header.zone,
    header.created,
    header.prevSha256,
    trailer.sha256,
    bytesSha256,
    trailer.lines,
    JSON.stringify(byKind),
    header.openingMinor,
    trailer.gross,
    trailer.fees,
    trailer.net,
    trailer.closing,
    mapping?.name ?? '',
    mapping?.version ?? null,
    by,
  ])
  return { id: BigInt(rows[0]?.id ?? 0), staged: 0 }
}

async function discard(client: pg.ClientBase, fileIds: readonly bigint[]): Promise<void> {
  await client.query('delete from settlement_lines where file_id = any($1::bigint[])', [fileIds])
  await client.query(
    `delete from settlement_files where id = any($1::bigint[]) and state = 'staging'`,
    [fileIds],
  )
}

/** The line whose id the database has already. @throws any other error */
function repeatedLine(error: unknown, lines: readonly FileLine[]): FileLine {
  if (!isRepeated(error, 'settlement_lines_once_per_sender')) throw error
  const found = lines.findLast(({ id }) => error.detail?.includes(`, ${id}) already exists`))
  if (found === undefined) throw error
  return found
}

function isRepeated(error: unknown, constraint: string): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.constraint === constraint
}
