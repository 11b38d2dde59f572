import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { z } from 'zod'
import type { TestBankPort } from '../../usecases/banks/test-bank-views.ts'
import { BANK_VALUES, withGatewayCodes } from './test-values.ts'

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
  triggers: z.array(
    z.object({
      amount: z.string(),
      currency: z.string().nullable(),
      meaning: z.string(),
      responseCode: z.string(),
    }),
  ),
  faults: z.array(z.object({ amount: z.string(), meaning: z.string() })),
  testCards: z.array(
    z.object({ pan: z.string(), brand: z.string(), kind: z.string(), meaning: z.string() }),
  ),
  postalCodes: PAIRS,
  securityCodes: PAIRS,
  threeDs: z.array(z.object({ pan: z.string(), meaning: z.string() })),
  challengeCodes: PAIRS,
  runs: z.record(z.string(), z.string()),
  values: BANK_VALUES,
})

const PATIENCE_MS = 5_000
const LARGEST_ANSWER_BYTES = 8_000_000

const SCALAR = z.union([z.string(), z.number(), z.boolean()])
const ACCOUNTS = z.object({
  accounts: z.array(
    z.object({
      id: z.string(),
      first6: z.string().nullable(),
      last4: z.string(),
      meaning: z.string(),
      status: z.string(),
      funds: z.object({ opening: z.string(), restored: z.string() }).nullable(),
      limits: z.object({
        perTransaction: z.string().nullable(),
        perDay: z.string().nullable(),
        approvalsPerDay: z.number().nullable(),
      }),
      balances: z.array(
        z.object({
          currency: z.string(),
          availableMinor: z.string(),
          heldMinor: z.string(),
          ledgerMinor: z.string(),
          day: z.string(),
          approvedMinor: z.string(),
          approvals: z.number(),
        }),
      ),
    }),
  ),
})
const LINES = z.object({
  lines: z.array(
    z.object({
      key: z.string(),
      day: z.string(),
      kind: z.string(),
      state: z.string(),
      currency: z.string(),
      amountMinor: z.string(),
      heldMinor: z.string(),
      capturedMinor: z.string(),
      refundedMinor: z.string(),
    }),
  ),
})
const RULE = z.object({
  id: z.number(),
  match: z.record(z.string(), z.string()),
  action: z.object({ kind: z.string() }).catchall(SCALAR),
  count: z.number().nullable(),
  seen: z.number(),
  done: z.number(),
})
const RULES = z.object({ rules: z.array(RULE) })
const REFUSAL = z.object({ error: z.string() })

/** The place of the bundled bank's control API. */
export interface TestBankPlace {
  /** The file in which the running bank leaves its address. */
  readonly addressFile: string
  /** Why this node has no such bank, to finish "cannot be asked:"; null where it runs one. */
  readonly absent: string | null
}

const ABSENT_BANK = {
  on: null,
  shared: 'it runs on another node (BANK=shared)',
  off: 'this gateway runs without it (BANK=off)',
} as const

/** The place where this node finds the bundled bank. */
export function bundledBankPlace({
  bundledBank,
  dataDir,
}: {
  readonly bundledBank: keyof typeof ABSENT_BANK
  readonly dataDir: string
}): TestBankPlace {
  return {
    addressFile: join(dataDir, 'bank', 'control-address'),
    absent: ABSENT_BANK[bundledBank],
  }
}

/** The control API of the bundled bank, on this machine. Requests reject with TestBankError. */
export function createTestBank(place: TestBankPlace): TestBankPort {
  let known: ReturnType<TestBankPort['tables']> | null = null
  const named = (merchants: readonly string[]): [string, string][] =>
    merchants.map((merchant) => ['merchant', merchant])
  return {
    async accounts(merchants) {
      return ACCOUNTS.parse(
        await callBank(place, 'GET', `/accounts?${new URLSearchParams(named(merchants))}`),
      ).accounts
    },
    async statement(account, merchants) {
      return LINES.parse(
        await callBank(
          place,
          'GET',
          `/statement?${new URLSearchParams([['account', account], ...named(merchants)])}`,
        ),
      ).lines
    },
    async rules() {
      return RULES.parse(await callBank(place, 'GET', '/faults')).rules
    },
    async addRule(rule) {
      return RULE.parse(await callBank(place, 'POST', '/faults', rule))
    },
    async removeRule(id) {
      await callBank(place, 'DELETE', `/faults/${id}`)
    },
    tables() {
      // They never change while a version of the program runs.
      known ??= callBank(place, 'GET', '/test-values')
        .then((answer) => {
          const tables = TABLES.parse(answer)
          return { ...tables, values: withGatewayCodes(tables.values) }
        })
        .catch((error: unknown) => {
          known = null
          throw error
        })
      return known
    },
  }
}

/**
 * One request, as JSON. Not `fetch`: it says that it is a browser, and the bank turns browsers
 * away. Rejects with TestBankError.
 * @param more headers beside the type of the body
 */
export function callBank(
  { addressFile, absent }: TestBankPlace,
  method: string,
  path: string,
  body?: object,
  more: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (why: string): void =>
      reject(
        new TestBankError(
          `The test bank cannot be asked: ${why}. Make sure that it runs on the machine of this gateway.`,
          false,
        ),
      )
    if (absent !== null) return fail(absent)
    let address: URL
    try {
      address = new URL(path, readFileSync(addressFile, 'utf8').trim())
    } catch {
      return fail('it has left no address')
    }
    const call = request(
      address,
      {
        method,
        timeout: PATIENCE_MS,
        headers: body === undefined ? more : { 'content-type': 'application/json', ...more },
      },
      (response) => {
        const pieces: Buffer[] = []
        let length = 0
        response.on('data', (piece: Buffer) => {
          length += piece.length
          if (length > LARGEST_ANSWER_BYTES) call.destroy(new Error('its answer is too long'))
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
          const refusal = REFUSAL.safeParse(answer)
          reject(
            new TestBankError(
              refusal.success
                ? refusal.data.error
                : `It answered with HTTP status ${response.statusCode}.`,
              true,
            ),
          )
        })
      },
    )
    call.on('timeout', () => call.destroy(new Error('it fell silent')))
    call.on('error', (error) => fail(error.message))
    call.end(body === undefined ? undefined : JSON.stringify(body))
  })
}
