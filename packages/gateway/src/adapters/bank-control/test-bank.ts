import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { z } from 'zod'
import type { TestBankTables } from '../../domain/portal/test-bank.ts'

/** The bundled bank could not be asked, or it refused. The message is a whole sentence. */
export class TestBankError extends Error {
  override readonly name = 'TestBankError'
  /** The bank looked at what it was asked, and said no. */
  readonly isRefusal: boolean

  constructor(sentence: string, isRefusal: boolean) {
    super(sentence)
    this.isRefusal = isRefusal
  }
}

const PAIRS = z.array(z.tuple([z.string(), z.string()]))
const TABLES = z.object({
  triggers: z.array(z.object({ amount: z.string(), currency: z.string().nullable(), meaning: z.string(), responseCode: z.string() })),
  faults: z.array(z.object({ amount: z.string(), meaning: z.string() })),
  deck: z.array(z.object({ pan: z.string(), brand: z.string(), kind: z.string(), meaning: z.string() })),
  postalCodes: PAIRS,
  securityCodes: PAIRS,
  threeDs: z.array(z.object({ pan: z.string(), meaning: z.string() })),
  challengeCodes: PAIRS,
})

const PATIENCE_MS = 5_000
const LARGEST_ANSWER_BYTES = 8_000_000

/** The control API of the bundled bank, on this machine. */
export interface TestBank {
  /** Rejects with TestBankError. */
  tables(): Promise<TestBankTables>
}

/** `addressFile`: where the bank leaves the address of its control API while it runs. */
export function createTestBank(addressFile: string): TestBank {
  let known: Promise<TestBankTables> | null = null
  return {
    tables() {
      // They never change while a version of the program runs.
      known ??= ask(addressFile, 'GET', '/test-values')
        .then((answer) => TABLES.parse(answer))
        .catch((error: unknown) => {
          known = null
          throw error
        })
      return known
    },
  }
}

/** One request, as JSON. Not `fetch`: it says that it is a browser, and the bank turns browsers away. */
function ask(addressFile: string, method: string, path: string, body?: object): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void => reject(new TestBankError(`The test bank can not be asked: ${why}. Make sure that it runs on the machine of this gateway.`, false))
    let base: string
    try {
      base = readFileSync(addressFile, 'utf8').trim()
    } catch {
      return fail('it has left no address')
    }
    const asked = request(
      new URL(path, base),
      { method, timeout: PATIENCE_MS, headers: body === undefined ? {} : { 'content-type': 'application/json' } },
      (response) => {
        const pieces: Buffer[] = []
        let length = 0
        response.on('data', (piece: Buffer) => {
          length += piece.length
          if (length > LARGEST_ANSWER_BYTES) asked.destroy(new Error('its answer is too long'))
          pieces.push(piece)
        })
        response.on('error', (error) => fail(error.message))
        response.on('end', () => {
          let answer: unknown
          try {
            answer = JSON.parse(Buffer.concat(pieces).toString('utf8'))
          } catch {
            return fail('its answer is no JSON')
          }
          if (response.statusCode !== undefined && response.statusCode < 300) return resolve(answer)
          const { error = `it answered with HTTP status ${response.statusCode}` } = answer as { readonly error?: string }
          reject(new TestBankError(error, true))
        })
      },
    )
    asked.on('timeout', () => asked.destroy(new Error('it fell silent')))
    asked.on('error', (error) => fail(error.message))
    asked.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
