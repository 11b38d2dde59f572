import type { Place } from '../place.ts'
import { auditReceiver } from './audit-receiver.ts'
import { browserProfiles } from './browser-profiles.ts'
import { databaseRows } from './database-rows.ts'
import { exportedSpans } from './exported-spans.ts'
import { files, writtenFiles } from './files.ts'
import { metrics } from './metrics.ts'
import { processLists } from './process-lists.ts'
import { answers, programOutput } from './program-output.ts'

/** Everywhere that is searched. */
export const PLACES: readonly Place[] = [
  databaseRows,
  metrics,
  processLists,
  programOutput,
  answers,
  exportedSpans,
  auditReceiver,
  files,
  writtenFiles,
  browserProfiles,
]
