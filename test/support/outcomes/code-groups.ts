import { TRIGGER_AMOUNTS } from '../../../packages/bank/src/test-data/trigger-amounts.ts'
import { PROCESSOR_CODES } from '../../../packages/gateway/src/adapters/processor-iso8583/response-codes.ts'
import { TRANSACTION_STATES } from '../../../packages/gateway/src/domain/payments/transaction-states.ts'
import { REFUSALS, type WireRefusal } from '../../../packages/gateway/src/http/payment/refusals.ts'
import { BANK_TEST_WORDS } from '../../../packages/iso8583/src/index.ts'
import {
  RESERVED_SERVICE_CODES,
  SERVICE_TEXTS,
} from '../../../packages/kernel/src/service-codes.ts'
import { TESTS } from './other-tests.ts'
import type { OutcomeGroup } from './outcome-group.ts'
import { REFUSALS_ELSEWHERE } from './refusals-elsewhere.ts'

const API_CODES = Object.values<WireRefusal>(REFUSALS)
  .filter(({ tier }) => tier === 'api')
  .map(({ code }) => String(code))

const RESERVED = 'reserved: it belongs to the interface, and no answer has it in this tier'

/** Every DE 39 that a test may ask of the bank: two digits, or a listed code with letters. */
export function responseCodes(): readonly string[] {
  const digits = Array.from({ length: 100 }, (_, at) => String(at).padStart(2, '0'))
  const letters = BANK_TEST_WORDS.de39.form?.expected.match(/\b(?:[A-Z]\d|\d[A-Z])\b/g) ?? []
  return [...digits, ...letters]
}

export const CODE_GROUPS = {
  refusals: {
    title: 'Named refusals',
    documented: Object.keys(REFUSALS),
    elsewhere: REFUSALS_ELSEWHERE,
  },
  api: {
    title: 'API codes',
    documented: ['0', ...API_CODES],
    elsewhere: { 100: TESTS.throttled },
  },
  service: {
    title: 'SERVICE codes',
    documented: Object.keys(SERVICE_TEXTS),
    exceptions: Object.fromEntries([...RESERVED_SERVICE_CODES].map((code) => [code, RESERVED])),
  },
  processor: {
    title: 'PROCESSOR codes of the processor itself',
    documented: ['0', ...Object.keys(PROCESSOR_CODES)],
  },
  issuer: { title: 'Issuer codes (DE 39)', documented: responseCodes() },
  industry: {
    title: 'INDUSTRY codes',
    documented: [
      '0',
      ...TRIGGER_AMOUNTS.flatMap(({ issuer }) => (issuer === undefined ? [] : [issuer.code])),
    ],
  },
  status: {
    title: 'TRANS_STATUS_NAME',
    documented: Object.keys(TRANSACTION_STATES).map((state) => state.toUpperCase()),
    elsewhere: { RUNNING: TESTS.running },
  },
} as const satisfies Readonly<Record<string, OutcomeGroup>>
