import type { Bank } from '@tollgate/bank'

/** One line of the simulator's journal. */
export interface JournalLine {
  readonly seq: number
  readonly leg: 'server-ds' | 'ds-acs' | 'browser-acs'
  readonly direction: 'in' | 'out'
  readonly type: string | null
  readonly message: Readonly<Record<string, unknown>> | null
  readonly note?: string
}

/** Asks the control API of the bank. Throws where it refuses. */
export async function control(
  bank: Bank,
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${String(bank.controlUrl)}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status}: ${text}`)
  return JSON.parse(text) as Record<string, unknown>
}

/** The messages in and out since an entry, oldest first. */
export async function readJournal(bank: Bank, after = 0): Promise<readonly JournalLine[]> {
  const { entries } = await control(bank, 'GET', `/three-ds/log?after=${after}`)
  return entries as readonly JournalLine[]
}

/**
 * Whether what the gateway itself has written stands in a line: to the DS, or carried by a browser.
 */
export function isOfGateway({ direction, leg, type, note }: JournalLine): boolean {
  if (leg === 'server-ds') return direction === 'in'
  return leg === 'browser-acs' && direction === 'in' && type === 'CReq' && note === undefined
}
