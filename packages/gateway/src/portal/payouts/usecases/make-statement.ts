import { startOfMonth } from '@tollgate/kernel/time-zone'
import { statementRows, type StatementRow } from '../domain/statement.ts'
import type { StatementFigures, StatementRange, StatementReader } from './payouts.ts'

/** A month of a source; amounts in minor units. */
export interface Statement extends Omit<StatementFigures, 'movements'> {
  /** `2026-11`. */
  readonly month: string
  readonly timeZone: string
  readonly isOver: boolean
  readonly rows: readonly StatementRow[]
}

interface Asked {
  readonly merchantId: bigint
  readonly sourceId: bigint
  /** `2026-11`, in the zone. */
  readonly month: string
  /** An IANA name. */
  readonly timeZone: string
  readonly now: Date
}

/** A month such as `2026-11` by the days of a time zone. */
export function monthOf(timeZone: string, month: string): StatementRange {
  return {
    from: startOfMonth(timeZone, `${month}-01`, 0),
    until: startOfMonth(timeZone, `${month}-01`, 1),
  }
}

/**
 * The statement of a month; null for a source that the merchant does not have. Throws if the rows
 * do not lead from the opening to the closing balance: a wrong statement is worse than none.
 */
export async function makeStatement(
  reader: Pick<StatementReader, 'read'>,
  { merchantId, month, now, sourceId, timeZone }: Asked,
): Promise<Statement | null> {
  const range = monthOf(timeZone, month)
  const figures = await reader.read(merchantId, sourceId, range)
  if (figures === null) return null
  const { movements, ...rest } = figures
  const rows = statementRows(movements)
  const closing = rows.reduce((sum, { minor }) => sum + minor, rest.openingMinor)
  if (closing !== rest.closingMinor) {
    throw new Error(
      `The statement of source ${sourceId} for ${month} does not add up. Its rows lead to ` +
        `${closing} minor units. The last file of the month states ${rest.closingMinor}. ` +
        'Run `tollgate verify`.',
    )
  }
  return { ...rest, month, timeZone, rows, isOver: now >= range.until }
}
