import { formatHead, type AuditVerdict, type ChainedEntry } from '@tollgate/gateway/operator-audit'

/** The result of a check: the count of correct entries, the first error, and the head to note. */
export function describeVerdict(
  verdict: AuditVerdict,
  { isFile, noted }: { readonly isFile: boolean; readonly noted: readonly string[] },
): string {
  const { fault, count, first, last, clockSetBack } = verdict
  const lines: string[] = []
  if (clockSetBack.count > 0) {
    lines.push(
      `Note: ${clockSetBack.count} of these are earlier than the entry before them, the first is ` +
        `${clockSetBack.first}: the database's clock was set back.`,
    )
  }
  if (first !== null && last !== null) {
    const which = `${first.number} to ${last.number}, ${first.at} to ${last.at}`
    lines.unshift(`${count} ${count === 1 ? 'entry is' : 'entries are'} right (${which}).`)
  } else lines.unshift('No entry is right.')
  if (fault !== null) return [...lines, `BROKEN: ${fault}`, ''].join('\n')
  if (first === null || last === null)
    return isFile ? 'The file is empty.\n' : 'The log is empty.\n'
  lines.push(
    isFile
      ? 'The file is complete in itself. Only the database shows whether the log continues.'
      : 'The log is complete: no entry is changed, missing, swapped or inserted.',
  )
  if (first.number !== 1n) {
    lines.push(`Entries before ${first.number} were not checked.`)
  }
  if (noted.length === 0) {
    lines.push(
      'No noted head was given, so the owner of the database could have rewritten the log.',
    )
  } else lines.push(...noted.map((head) => `It agrees with the head noted before: ${head}`))
  return [...lines, `Head to note elsewhere: ${formatHead(last)}`, ''].join('\n')
}

/** An entry for an operator, in one line. */
export function describeEntry(entry: ChainedEntry): string {
  const { number, at, actor, operation, object, merchantId, address, result, details } = entry
  return [
    number.toString().padStart(7),
    `${at.slice(0, 10)} ${at.slice(11, 19)}`,
    result.padEnd(7),
    operation,
    shown(object),
    ...(merchantId === '' ? [] : [`merchant ${merchantId}`]),
    `by ${shown(actor)}`,
    ...(address === '' ? [] : [`from ${shown(address)}`]),
    ...(details === '{}' ? [] : [shown(details)]),
  ]
    .filter((part) => part !== '')
    .join('  ')
}

/** Unauthenticated input may hold control characters of the terminal. */
function shown(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (sign) => `\\u${sign.codePointAt(0)?.toString(16).padStart(4, '0')}`,
  )
}
