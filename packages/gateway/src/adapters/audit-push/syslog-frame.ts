import type { ChainedEntry } from '../../usecases/audit/audit-chain.ts'
import { entryLine } from '../../usecases/audit/entry-line.ts'

/** The sender as syslog names it. */
export interface SyslogSource {
  readonly host: string
  readonly processId: number
}

/** Facility 13 is "log audit". */
const FACILITY = 13
/** Warning, notice and informational. */
const SEVERITIES: Readonly<Record<string, number>> = { failed: 4, refused: 5 }
const INFORMATIONAL = 6

/**
 * One message of RFC 5424 with its length in bytes in front (octet counting of RFC 5425 and 6587).
 * The message is the line of an export in ASCII: JSON escapes other characters and line feeds.
 * UTF-8 would need a byte order mark, which is no JSON.
 */
export function syslogFrame(entry: ChainedEntry, { host, processId }: SyslogSource): string {
  const priority = FACILITY * 8 + (SEVERITIES[entry.result] ?? INFORMATIONAL)
  const header = `<${priority}>1 ${entry.at} ${printable(host, 255)} tollgate ${processId}`
  const message = `${header} ${printable(entry.operation, 32)} - ${ascii(entryLine(entry))}`
  return `${message.length} ${message}`
}

/** A field of the header: printable ASCII without spaces; `-` for none. */
function printable(text: string, length: number): string {
  return text.replaceAll(/[^!-~]/g, '_').slice(0, length) || '-'
}

/** JSON with every character beyond ASCII as its escapes. */
function ascii(json: string): string {
  return json.replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
