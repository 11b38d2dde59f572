import type { Answering, ChangeAnswering } from '@tollgate/bank/run'
import { messageKey } from '@tollgate/iso8583'
import { readOriginalKey } from '../../packages/bank/src/acquirer/read-request.ts'

type Books = Parameters<ChangeAnswering>[1]

/**
 * The bank's share of the rules that make both books agree, each with a change that breaks it. The
 * torture run switches one off to show that it would notice. No shipped program has any of this.
 */
const BREAKS = {
  tombstones: forgetEarlyReversals,
  repeats_from_memory: applyRepeats,
} as const satisfies Record<string, ChangeAnswering>

/** The change that breaks the rule. Throws when there is no such rule. */
export function breakBankRule(rule: string): ChangeAnswering {
  if (!Object.hasOwn(BREAKS, rule)) {
    const names = Object.keys(BREAKS).join(', ')
    throw new Error(`The rule to break is "${rule}"; it must be one of ${names}.`)
  }
  return BREAKS[rule as keyof typeof BREAKS]
}

/** A reversal that comes before its original is acknowledged and not remembered. */
function forgetEarlyReversals(answer: Answering, books: Books): Answering {
  return async (message, session) => {
    const isReversal = message.mti.startsWith('042')
    if (!isReversal || books.find(readOriginalKey(message)) !== undefined)
      return answer(message, session)
    // The host never sees it, as if it had been about the wrong message.
    const { 11: stan = '', 7: at = '' } = message.fields
    const nobody = `0100${stan}${at}${'9'.repeat(11)}${'0'.repeat(11)}`
    return answer({ ...message, fields: { ...message.fields, 90: nobody } }, session)
  }
}

/** A repeat is applied as if it were the first of its kind. */
function applyRepeats(answer: Answering): Answering {
  const seen = new Set<string>()
  let repeats = 0
  return async (message, session) => {
    if (message.mti.startsWith('08')) return answer(message, session)
    const key = messageKey(message)
    const isRepeat = message.mti.endsWith('1') || seen.has(key)
    seen.add(key)
    if (!isRepeat) return answer(message, session)
    // Under a terminal of its own the host takes it for a first message.
    repeats += 1
    const { 41: terminal = '' } = message.fields
    const renamed = { ...message.fields, 41: `R${String(repeats).padStart(7, '0')}` }
    const answered = await answer({ ...message, fields: renamed }, session)
    if (answered === null) return null
    return { ...answered, fields: { ...answered.fields, 41: terminal } }
  }
}
