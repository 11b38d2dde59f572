import {
  BANK_TEST_WORDS,
  contradictionOf,
  encodeBankTest,
  readTestWords,
  type TestStep,
  type TestWords,
} from '@tollgate/iso8583'
import type { Site } from '../../usecases/merchants/merchant-directory.ts'
import type { Echo, WireAnswer } from './answer.ts'
import type { Operation } from './parameters.ts'
import { refusalAnswer } from './refusal-record.ts'
import { REFUSALS } from './refusals.ts'
import { SHOP_TEST_WORDS, shopFaultOf, type ShopFault } from './shop-faults.ts'
import { TEST_PARAMETER } from './test-parameter.ts'
import { preferenceFault, preferenceOf, THREE_DS_TEST_WORDS } from './three-ds-test.ts'

/** Every word of a test: for the bank, for 3-D Secure, and for the way to the shop. */
export const TEST_WORDS: TestWords = {
  ...BANK_TEST_WORDS,
  ...THREE_DS_TEST_WORDS,
  ...SHOP_TEST_WORDS,
}

/** The test of one request. */
export interface SandboxTest {
  readonly kind: 'test'
  /** The words for the test bank; null: none. */
  readonly bank: string | null
  readonly shop: ShopFault | null
  /** The challenge preference in place of the site's; null: none. */
  readonly preference: string | null
  /** The name under which `shop` strikes once; null: it strikes always. */
  readonly once: string | null
}

export interface RefusedTest {
  readonly kind: 'refused'
  /** Sentences without any value that was sent. */
  readonly reason: string
}

const NO_TEST: SandboxTest = { kind: 'test', bank: null, shop: null, preference: null, once: null }

const STEPS: Readonly<Partial<Record<Operation, TestStep>>> = {
  authorization: 'authorization',
  sale: 'authorization',
  unreferenced_credit: 'credit',
  capture: 'capture',
  refund: 'refund',
  void: 'reversal',
  capture_void: 'reversal',
}

/**
 * Reads the test of a request. Live sites and sites that reach another bank refuse it. So does an
 * action on which a word has no effect: a test that is ignored would be an ordinary payment.
 */
export function readSandboxTest(
  params: ReadonlyMap<string, string>,
  operation: Operation,
  site: Site | null,
): SandboxTest | RefusedTest {
  const text = params.get(TEST_PARAMETER)
  if (text === undefined) return NO_TEST
  if (site === null) return refused('A test needs the SITE_ID of a site in test mode.')
  if (site.mode !== 'test') {
    return refused('This site is live, and tests are for test mode only. Leave it out.')
  }
  const reading = readTestWords(text, TEST_WORDS)
  if (reading.kind === 'refused') return refused(reading.reason)
  const { words } = reading
  const once = words.get('once') ?? null
  const shop = shopFaultOf(words)
  if (once !== null && shop === null) return refused('once goes with shop or shop-delay only.')
  const step = STEPS[operation]
  const preference = preferenceOf(words)
  const fault = preference === null ? null : preferenceFault(params, step)
  if (fault !== null) return refused(fault)
  const bank = encodeBankTest(words)
  if (bank === null) return { kind: 'test', bank, shop, preference, once }
  if (step === undefined) {
    return refused(
      'This action sends nothing to the bank. It takes shop, shop-delay and once only.',
    )
  }
  const contradiction = contradictionOf(words, step)
  if (contradiction !== null) return refused(contradiction)
  if (site.merchantAccounts.some(({ linkId }) => linkId !== null)) {
    return refused('An account of this site reaches another bank than the test bank.')
  }
  return { kind: 'test', bank, shop, preference, once }
}

function refused(reason: string): RefusedTest {
  return { kind: 'refused', reason }
}

/** The refusal of a test, with the reason in API_ADVICE. Nothing was carried out. */
export function testRefusal({ reason }: RefusedTest, echo: Echo): WireAnswer {
  const refusal = REFUSALS.value_invalid
  const advice = `${refusal.advice}. ${reason}`
  return refusalAnswer({ ...refusal, advice }, TEST_PARAMETER, echo)
}

/** Remembers the names under which faults have struck. */
export interface OnceNames {
  /** Whether this is the first request of the site with the name. */
  isFirst(siteId: bigint, name: string): boolean
}

/** Names that are remembered by one process; the oldest are forgotten beyond it. */
const MOST_NAMES = 10_000

export function createOnceNames(): OnceNames {
  const seen = new Set<string>()
  return {
    isFirst(siteId, name) {
      const key = `${siteId} ${name}`
      if (seen.has(key)) return false
      seen.add(key)
      for (const oldest of seen) {
        if (seen.size <= MOST_NAMES) break
        seen.delete(oldest)
      }
      return true
    },
  }
}

/** The fault between shop and gateway that strikes this request; null for none. */
export function strikingFault(
  names: OnceNames,
  siteId: bigint,
  { once, shop }: SandboxTest,
): ShopFault | null {
  if (shop === null || once === null) return shop
  return names.isFirst(siteId, once) ? shop : null
}
