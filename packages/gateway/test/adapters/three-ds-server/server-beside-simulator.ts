import { startBank, type Bank } from '@tollgate/bank'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database } from '../../../src/adapters/postgres/connection/database.ts'
import { createCardRangeStore } from '../../../src/adapters/postgres/three-ds/card-range-store.ts'
import { createThreeDsJournal } from '../../../src/adapters/postgres/three-ds/three-ds-journal.ts'
import {
  createThreeDsServer,
  type RunningThreeDsServer,
  type ThreeDsServerOptions,
} from '../../../src/adapters/three-ds-server/three-ds-server.ts'
import type { Clock } from '../../../src/base/clock.ts'
import { findCurrency } from '../../../src/domain/currency.ts'
import { NO_DEMANDS } from '../../../src/domain/merchants/account-demands.ts'
import { NO_LIMITS } from '../../../src/domain/merchants/account-limits.ts'
import { CardNumber } from '../../../src/domain/payments/card-number.ts'
import type { MerchantAccount } from '../../../src/usecases/merchants/merchant-directory.ts'
import type {
  AuthenticationQuestion,
  ChallengeResult,
  ReceiveResult,
} from '../../../src/usecases/three-ds/three-ds-server.ts'
import { startTestServer } from '../../support/database.ts'

/** Counts and log entries of a 3DS Server under test. */
export interface Told {
  readonly authentications: string[]
  readonly results: string[]
  readonly logged: {
    readonly level: string
    readonly what: string
    readonly facts: Readonly<Record<string, unknown>>
  }[]
  alarms: number
  ranges: () => readonly { readonly directory: string; readonly ageSeconds: number }[]
}

export interface Beside {
  readonly bank: Bank
  readonly database: Database
  readonly folder: string
  readonly clock: { now(): Date; advance(ms: number): void }
  readonly received: ChallengeResult[]
  /** One more process on the same database. */
  another(changes?: Partial<ThreeDsServerOptions>): {
    readonly server: RunningThreeDsServer
    readonly told: Told
  }
  control(method: string, path: string, body?: unknown): Promise<unknown>
  stop(): Promise<void>
}

/** PostgreSQL, the bank with its simulator, and as many 3DS Servers as a test wants. */
export async function startBeside(
  receiveResult?: ReceiveResult,
): Promise<Beside & { readonly receive: ReceiveResult }> {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-ds-'))
  const postgres = await startTestServer()
  const url = await postgres.createDatabase()
  const database = openDatabase(url, () => undefined)
  const anyPort = { port: 0, mayMove: true }
  const bank = await startBank({
    host: '127.0.0.1',
    port: 0,
    controlPort: 0,
    folder: join(folder, 'bank'),
    threeDs: {
      ds: anyPort,
      acs: anyPort,
      acsBack: anyPort,
      dsHost: 'localhost',
      acsHost: 'localhost',
      timeScale: 20,
    },
    now: Date.now,
    warn: () => undefined,
    onFatal: (error) => {
      throw error
    },
  })
  let movedMs = 0
  const clock: Clock & { advance(ms: number): void } = {
    now: () => new Date(Date.now() + movedMs),
    advance: (ms) => {
      movedMs += ms
    },
  }
  const received: ChallengeResult[] = []
  const stops: (() => Promise<void>)[] = []
  return {
    bank,
    database,
    folder,
    clock,
    received,
    receive:
      receiveResult ??
      ((result) => {
        received.push(result)
        return Promise.resolve('stored')
      }),
    another(changes = {}) {
      const told: Told = {
        authentications: [],
        results: [],
        logged: [],
        alarms: 0,
        ranges: () => [],
      }
      const journal = createThreeDsJournal(database, (error) => {
        throw error
      })
      const server = createThreeDsServer({
        clock,
        monotonicMs: () => performance.now(),
        journal,
        ranges: createCardRangeStore(database.pool),
        liveDirectories: [],
        liveResults: null,
        simulatorFolder: join(folder, 'bank', 'three-ds'),
        readMs: 10_000,
        notificationUrl: 'https://gateway.localhost:8443/V2/Cruise/Term',
        results: { host: '127.0.0.1', port: 0, mayMove: true, url: null },
        metrics: {
          countAuthentication: (_mode, outcome) => void told.authentications.push(outcome),
          countResult: (outcome) => void told.results.push(outcome),
          countAlarm: () => {
            told.alarms += 1
          },
          watchRanges: (read) => {
            told.ranges = read
          },
        },
        log: (level, what, facts) => void told.logged.push({ level, what, facts }),
        ...changes,
      })
      stops.push(async () => {
        await server.stop()
        await journal.idle()
      })
      return { server, told }
    },
    async control(method, path, body) {
      const response = await fetch(`${bank.controlUrl}${path}`, {
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
      })
      return response.json()
    },
    async stop() {
      for (const stop of stops) await stop()
      await bank.stop()
      await database.close()
      await postgres.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const ACCOUNT: MerchantAccount = {
  id: 2001n,
  merchantId: 1n,
  mode: 'test',
  linkId: null,
  standsFor: null,
  processorName: 'Test Processor',
  acquirerId: '414000',
  acquirerMerchantId: 'TOLLGATE2001',
  categoryCode: '5999',
  nameAndLocation: 'Demo Shop'.padEnd(25) + 'Springfield'.padEnd(13) + 'US',
  currencies: ['USD', 'JPY', 'KWD'],
  unreferencedCredits: false,
  limits: NO_LIMITS,
  demands: NO_DEMANDS,
  threeDs: { requestorId: 'TOLLGATE-2001', requestorUrl: 'https://shop.example' },
}

const NOWHERE = {
  street: '',
  street2: '',
  city: '',
  state: '',
  postalCode: '',
  country: '',
  district: '',
}

/** A question about a payment of 10.00 USD, changed as a test wants it. */
export function questionAbout(
  pan: string,
  changes: Partial<AuthenticationQuestion> = {},
): AuthenticationQuestion {
  const currency = findCurrency('USD')
  if (currency === null) throw new Error('There is no USD.')
  return {
    serverTransId: randomUUID(),
    version: '2.2.0',
    account: ACCOUNT,
    pan: new CardNumber(pan),
    expiry: { month: 12, year: 2028 },
    amountMinor: 1_000n,
    currency,
    at: new Date('2026-11-21T01:30:00Z'),
    methodCompletion: 'Y',
    challengePreference: null,
    recurring: null,
    browser: {
      acceptHeader: 'text/html,application/xhtml+xml',
      userAgent: 'Mozilla/5.0',
      language: 'en-US',
      ip: '203.0.113.7',
      javascriptEnabled: true,
      javaEnabled: false,
      colorDepth: 24,
      screenHeight: 1_080,
      screenWidth: 1_920,
      timeZone: 480,
    },
    customer: {
      reference: '',
      firstName: 'Mister',
      lastName: 'Tester',
      email: 'a@example.com',
      phone: '',
      login: '',
      ipAddress: '',
      stated: { birthday: false, ssn: false, taxNumber: false },
      others: {},
    },
    billing: { ...NOWHERE, country: 'US' },
    shipping: NOWHERE,
    ...changes,
  }
}
