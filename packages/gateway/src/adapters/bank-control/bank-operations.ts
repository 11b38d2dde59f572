import { z } from 'zod'
import { refused, type Refusal, type Result } from '../../base/refusal.ts'
import { currencyByNumeric } from '../../domain/currency.ts'
import type { BankOperations } from '../../usecases/sandbox/operation-ports.ts'
import { booksHeaders, type ReadBankSecret } from './link-secret.ts'
import { callBank, TestBankError, type TestBankPlace } from './test-bank.ts'

const FILES = z.object({
  files: z.array(
    z.object({
      name: z.string(),
      currency: z.string(),
      seq: z.number(),
      businessDate: z.string(),
      lines: z.number(),
    }),
  ),
})
const NOTICE = z.object({ notice: z.object({ case: z.string() }) })

/** The operations of the bundled bank, through its control API. */
export function createBankOperations(
  place: TestBankPlace,
  readSecret: ReadBankSecret,
): BankOperations {
  const post = async (
    path: string,
    body: object,
  ): Promise<Result<{ readonly answer: unknown }>> => {
    try {
      const headers = booksHeaders(readSecret)
      return { ok: true, answer: await callBank(place, 'POST', `/books${path}`, body, headers) }
    } catch (error) {
      if (error instanceof TestBankError) return refusalOf(error)
      throw error
    }
  }
  return {
    async writeFiles(merchant) {
      const made = await post('/settlement', { merchant })
      if (!made.ok) return made
      const files = FILES.parse(made.answer).files.map(({ currency, seq, ...file }) => ({
        ...file,
        seq: BigInt(seq),
        currency: currencyByNumeric(currency)?.code ?? currency,
      }))
      return { ok: true, files }
    },
    reject: (merchant, ref) => post('/settlement/reject', { merchant, ref }),
    async raise(merchant, { event, minor, reason, rrn }) {
      const given = {
        ...(minor === null ? {} : { minor: String(minor) }),
        ...(reason === null ? {} : { reason }),
      }
      const raised = await post('/disputes', { merchant, event, rrn, ...given })
      if (!raised.ok) return raised
      return { ok: true, caseId: NOTICE.parse(raised.answer).notice.case }
    },
    decide: (merchant, caseId, verdict) =>
      post('/disputes/decisions', { merchant, case: caseId, verdict }),
    move: (merchant, caseId, to) => post('/disputes/move', { merchant, case: caseId, to }),
  }
}

function refusalOf({ isRefusal, message }: TestBankError): Refusal {
  return refused('conflict', message, { code: isRefusal ? 'bank_refused' : 'bank_away' })
}
