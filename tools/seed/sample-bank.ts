import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type pg from 'pg'
import { readControlAddress } from '../../packages/gateway/src/adapters/bank-control/bank-books.ts'
import {
  settlementFiles,
  type BankSettlementFile,
} from '../../packages/gateway/src/adapters/bank-control/bank-settlement.ts'
import {
  bankSecretOf,
  booksHeaders,
} from '../../packages/gateway/src/adapters/bank-control/link-secret.ts'
import type { Secret } from '../../packages/gateway/src/base/secret.ts'
import { openNoticeFetcher } from '../../packages/gateway/src/wiring/dispute-notices.ts'

const CREATED = 201
const CONFLICT = 409

/** The events with which a case can begin. */
export type SampleCaseOpening = 'inquiry' | 'fraud_report' | 'chargeback' | 'rapid_resolution'
/** The steps of the issuer or of the network. */
export type SampleCaseMove = 'pre_arbitration' | 'won' | 'lost' | 'withdrawn'

/** The bundled bank settles and disputes the sample's payments. An account is its DE 42. */
export interface SampleBank {
  /** Makes the files of everything that waits, dated by a business day: `2026-11-23`. */
  settle(account: string, day: string): Promise<void>
  /** Gives the next file a difference. @param currency ISO 4217 numeric */
  plant(account: string, currency: string, kind: string): Promise<void>
  listFiles(account: string): Promise<readonly BankSettlementFile[]>
  /** Disputes all that is left of an order. @returns the bank's id of the case */
  openCase(
    account: string,
    dispute: {
      /** DE 37 of the order. */
      readonly rrn: string
      readonly event: SampleCaseOpening
      /** Null for the brand's code of fraud. */
      readonly reason: string | null
    },
  ): Promise<string>
  chargeInquiry(account: string, caseId: string): Promise<void>
  /** Does nothing where the bank moved the case by itself, because its next day began. */
  moveCase(account: string, caseId: string, to: SampleCaseMove): Promise<void>
  /**
   * Records new notices as the gateway's job does, without waiting for the job: a case is known
   * before its money.
   */
  recordNotices(pool: pg.Pool): Promise<void>
}

/** Reaches the control API of the bank that runs in a data folder. */
export function createSampleBank(node: {
  readonly dataDir: string
  readonly bankSecret: Secret | null
}): SampleBank {
  const address = (): string => readControlAddress(join(node.dataDir, 'bank', 'control-address'))
  const readSecret = bankSecretOf(node)
  const post = (path: string, body: object, taken = [CREATED]): Promise<string> =>
    postJson(new URL(`/books${path}`, address()), booksHeaders(readSecret), body, taken)
  return {
    async settle(account, day) {
      await post('/settlement', { merchant: account, businessDate: day })
    },
    async plant(account, currency, kind) {
      await post('/settlement/plants', { merchant: account, currency, kind })
    },
    listFiles: (account) => settlementFiles(address(), readSecret, account),
    async openCase(account, { event, reason, rrn }) {
      const given = reason === null ? {} : { reason }
      const answer = await post('/disputes', { merchant: account, rrn, event, ...given })
      return (JSON.parse(answer) as { notice: { case: string } }).notice.case
    },
    async chargeInquiry(account, caseId) {
      await post('/disputes', { merchant: account, event: 'chargeback', case: caseId })
    },
    async moveCase(account, caseId, to) {
      await post('/disputes/move', { merchant: account, case: caseId, to }, [CREATED, CONFLICT])
    },
    async recordNotices(pool) {
      const fetcher = openNoticeFetcher(pool, { address, readSecret }, NOTICES)
      await fetcher.fetch()
    },
  }
}

const NOTICES = {
  clock: { now: () => new Date() },
  by: 'sandbox',
  onRecorded: () => undefined,
  onRefused(account: bigint, reason: string) {
    throw new Error(`Notices of account ${account} are refused: ${reason}`)
  },
}

/** The text of the answer. Rejects unless the bank answers with one of these statuses. */
function postJson(
  url: URL,
  headers: Readonly<Record<string, string>>,
  body: object,
  taken: readonly number[],
) {
  return new Promise<string>((resolve, reject) => {
    const options = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
    const asked = request(url, options, (response) => {
      text(response).then((answer) => {
        if (taken.includes(response.statusCode ?? 0)) resolve(answer)
        else reject(new Error(`The bank answered ${url.pathname} with ${response.statusCode}.`))
      }, reject)
    })
    asked.on('error', reject)
    asked.end(JSON.stringify(body))
  })
}
