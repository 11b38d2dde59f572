import type pg from 'pg'
import { createTransact } from '../adapters/postgres/audit/admin-transaction.ts'
import type { Database } from '../adapters/postgres/connection/database.ts'
import { createDeadlineStore } from '../adapters/postgres/settlement/deadline-store.ts'
import { createDifferenceReader } from '../adapters/postgres/settlement/difference-reader.ts'
import { differenceTx } from '../adapters/postgres/settlement/difference-store.ts'
import { createSettlementImportStore } from '../adapters/postgres/settlement/import-store.ts'
import { findTargets, type TargetRequest } from '../adapters/postgres/settlement/mapped-target.ts'
import { createSettlementReader } from '../adapters/postgres/settlement/settlement-reader.ts'
import { sourceTx } from '../adapters/postgres/settlement/source-store.ts'
import { systemClock } from '../base/clock.ts'
import type { Result } from '../base/refusal.ts'
import type { FileTarget } from '../domain/settlement/canonical-header.ts'
import type { DifferenceEnd } from '../domain/settlement/difference.ts'
import { createDifferenceChanges } from '../usecases/settlement/change-difference.ts'
import type { DifferenceFilter, DifferenceView } from '../usecases/settlement/difference-store.ts'
import type { SettlementReader } from '../usecases/settlement/file-views.ts'
import {
  importFile,
  type FileBytes,
  type ImportOutcome,
} from '../usecases/settlement/import-file.ts'
import { putSource, type SourceRequest } from '../usecases/settlement/put-source.ts'
import { raiseMissing } from '../usecases/settlement/raise-missing.ts'
import { fileBytes, newSha256 } from './settlement.ts'

export { DIFFERENCE_CODES, DIFFERENCE_ENDS } from '../domain/settlement/difference.ts'
export { REFUSAL_CODES } from '../domain/settlement/file-record.ts'
export type { DifferenceEnd } from '../domain/settlement/difference.ts'
export type { DifferenceView } from '../usecases/settlement/difference-store.ts'
export type {
  PayoutView,
  SettlementFileView,
  SettlementTotals,
} from '../usecases/settlement/file-views.ts'
export type { ImportOutcome } from '../usecases/settlement/import-file.ts'

type OperatorFilter = Pick<DifferenceFilter, 'merchantId' | 'merchantAccountId' | 'state'>

/** An operator's operations on settlement files and differences. */
export interface SettlementOperator extends SettlementReader {
  putSource(request: SourceRequest): Promise<Result<{ readonly id: bigint }>>
  /** Imports a file of this machine: all of it or nothing. */
  importPath(path: string, onProgress: (staged: number, of: number) => void): Promise<ImportOutcome>
  /** The sources of an acquirer's own file, each with the file before it. */
  findTargets(request: TargetRequest): Promise<readonly FileTarget[]>
  /** Imports canonical bytes that a mapping made. */
  importMapped(
    bytes: FileBytes,
    mapping: { readonly name: string; readonly version: number },
  ): Promise<ImportOutcome>
  /** The oldest first, at most so many. */
  listDifferences(filter: OperatorFilter, limit: number): Promise<readonly DifferenceView[]>
  readDifference(id: bigint): Promise<DifferenceView | null>
  assign(id: bigint, owner: string): Promise<Result>
  note(id: bigint, text: string): Promise<Result>
  end(id: bigint, as: DifferenceEnd, reason: string): Promise<Result>
  /** Makes differences of what is in no file after its deadline, and counts them. */
  raiseMissing(): Promise<number>
}

export function createSettlementOperator(
  database: Database,
  pool: pg.Pool,
  actor: string,
): SettlementOperator {
  const files = database.files()
  const by = { actor, address: '' }
  const differences = createDifferenceReader(pool)
  const changes = createDifferenceChanges(createTransact(pool, differenceTx), systemClock, null)
  const deps = {
    store: createSettlementImportStore(files),
    newSha256,
    clock: systemClock,
    by: actor,
    onProgress: () => undefined,
  }
  return {
    ...createSettlementReader(files),
    putSource: (request) => putSource(createTransact(pool, sourceTx), request, by),
    importPath: (path, onProgress) => importFile({ ...deps, onProgress }, fileBytes(path), null),
    findTargets: (request) => findTargets(files, request),
    importMapped: (bytes, mapping) => importFile(deps, bytes, mapping),
    listDifferences: (filter, limit) =>
      differences.list(
        { ...filter, code: null, owner: null, olderThanBankDays: null, currency: null },
        { after: null, limit },
        systemClock.now(),
      ),
    readDifference: (id) => differences.read(id, null, systemClock.now()),
    assign: (id, owner) => changes.assign(id, owner, by),
    note: (id, text) => changes.note(id, text, by),
    end: (id, as, reason) => changes.end(id, as, reason, by),
    raiseMissing: () => raiseMissing({ store: createDeadlineStore(files), clock: systemClock }),
  }
}
