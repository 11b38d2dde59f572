import { bankCodeMeaning } from '../../words/decline-reasons.ts'
import type { CodeInWords } from './order-page.ts'

/** A code of a processor or bank in words, or with what came beside it; null for none. */
export function bankCode(code: string, advice: string): CodeInWords | null {
  if (code === '' || code === '0') return null
  return { code, words: bankCodeMeaning(code) ?? (advice || 'Unknown code') }
}
