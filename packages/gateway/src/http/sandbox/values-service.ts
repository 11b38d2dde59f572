import type { FastifyInstance } from 'fastify'
import type { TestBankTables } from '../../domain/banks/test-bank.ts'
import { publishedSiteRecords } from './published-site-record.ts'
import { testValueRecord } from './test-value-record.ts'

export interface ValuesServiceDeps {
  /** Rejects where the bundled bank cannot be asked. */
  readonly readTables: () => Promise<TestBankTables>
}

export const VALUES_PATH = '/sandbox/values'

/**
 * The published test values for programs. They are in the documents too, so it asks for no login.
 * Only gateways in sandbox mode have the address.
 */
export function valuesService(app: FastifyInstance, { readTables }: ValuesServiceDeps): void {
  // The values never change while a version of the program runs.
  let written: string | null = null
  app.get(VALUES_PATH, async (_request, reply) => {
    if (written === null) {
      const tables = await readTables().catch(() => null)
      if (tables === null) {
        return reply.code(503).header('retry-after', '1').send(UNREACHABLE)
      }
      const { runs, values } = tables
      written = JSON.stringify({
        runs,
        values: values.map(testValueRecord),
        ...publishedSiteRecords(),
      })
    }
    return reply.type('application/json; charset=utf-8').send(written)
  })
}

const UNREACHABLE = {
  error: {
    code: 'unavailable',
    message: 'The test bank of this gateway cannot be asked. Try again in a second.',
  },
}
