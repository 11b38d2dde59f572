import type { FastifyInstance } from 'fastify'
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { pino } from 'pino'
import { createGatewayMetrics } from '../../../src/adapters/metrics/gateway-metrics.ts'
import { createAuditLog } from '../../../src/adapters/postgres/audit/audit-log.ts'
import { openDatabase } from '../../../src/adapters/postgres/connection/database.ts'
import { createIds } from '../../../src/adapters/postgres/connection/id-blocks.ts'
import { Secret } from '../../../src/base/secret.ts'
import { createActivity } from '../../../src/jobs/activity.ts'
import type { RequestLogEntry } from '../../../src/usecases/audit/request-log.ts'
import { createEventBell } from '../../../src/usecases/events/event-bell.ts'
import type { ThreeDsServer } from '../../../src/usecases/three-ds/three-ds-server.ts'
import { wireCardTokens, type CardTokenParts } from '../../../src/wiring/card-tokens.ts'
import type { Foundation } from '../../../src/wiring/foundation.ts'
import { wireLogins } from '../../../src/wiring/logins.ts'
import { prepareDatabase } from '../../../src/wiring/prepare-database.ts'
import { wireThreeDsPages, type ThreeDsPagesParts } from '../../../src/wiring/three-ds-pages.ts'
import { wireVault, type VaultParts } from '../../../src/wiring/vault.ts'
import { startTestServer, type TestServer } from '../../support/database.ts'
import { aGateway } from '../fake-gateway.ts'

export const METHOD_URL = 'https://issuer.example/method'
export const ACS_URL = 'https://issuer.example/acs/creq'
export const RETURN_URL = 'https://shop.example/back?order=17'
/** Only numbers from here on take part in 3-D Secure. */
export const ENROLLED = '400000'

/** 3dsrequest.cfm and the pages over a real database, with a simulated Directory Server. */
export interface ThreeDsWorld {
  readonly app: FastifyInstance
  readonly pool: pg.Pool
  readonly parts: ThreeDsPagesParts
  readonly vaultParts: VaultParts
  readonly cardTokens: CardTokenParts
  readonly logged: RequestLogEntry[]
  /** Advances the gateway's clock for all its readers. */
  pass(ms: number): void
  /** The set-up of the simulated Directory Server. */
  directory: { isSetUp: boolean; methodUrls: readonly string[] }
  /** Another process of the same installation. */
  anotherProcess(): Promise<ThreeDsPagesParts>
  post(
    path: string,
    fields: Readonly<Record<string, string>> | string,
    headers?: Readonly<Record<string, string>>,
  ): ReturnType<typeof postForm>
  /** 3dsrequest.cfm with the demo merchant's login; undefined removes a parameter. */
  ask(changes?: Readonly<Record<string, string | undefined>>): Promise<Record<string, string>>
  /** A payment whose issuer asked for a challenge, made by SQL; returns its step-up token. */
  challenge(changes?: ChallengeChanges): Promise<AChallenge>
  stop(): Promise<void>
}

export interface ChallengeChanges {
  readonly returnUrl?: string
  readonly acsUrl?: string
  readonly state?: string
  readonly window?: string
  readonly mode?: 'test' | 'live'
}

export interface AChallenge {
  readonly token: string
  readonly serverTransId: string
  readonly acsTransId: string
  readonly procTransId: string
}

export async function startThreeDsWorld(): Promise<ThreeDsWorld> {
  const server = await startTestServer()
  try {
    return await startOn(server)
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function startOn(server: TestServer): Promise<ThreeDsWorld> {
  const databaseUrl = await server.createDatabase()
  const vaultKey = new Secret(randomBytes(32).toString('base64'))
  await prepareDatabase({ databaseUrl, vaultKey, sandbox: true } as Parameters<
    typeof prepareDatabase
  >[0])
  const database = openDatabase(databaseUrl, () => undefined)
  let nowMs = Date.parse('2026-11-21T12:00:00Z')
  const clock = { now: () => new Date(nowMs) }
  const foundationOf = (name: string): Foundation => ({
    config: {
      vaultKey,
      vaultKmsKey: null,
      vaultTransitKey: null,
      vaultServer: null,
      vaultKeyPrevious: null,
      publicUrl: 'https://pay.example',
      loginFailureLimit: 100,
      apiUserIdleDays: 0,
    } as unknown as Foundation['config'],
    logger: pino({ level: 'silent' }),
    database,
    activity: createActivity({
      monotonicMs: () => nowMs,
      isHeard: () => false,
      announce: () => undefined,
    }),
    activityChannel: {
      start: () => undefined,
      stop: () => Promise.resolve(),
      isHeard: () => false,
    },
    eventBell: createEventBell(),
    audit: createAuditLog(database),
    ids: createIds(
      database.pool,
      {
        marks: { levels: () => new Map(), note: () => Promise.resolve() },
        advance: () => Promise.resolve(),
      },
      () => nowMs,
    ),
    noteIds: () => Promise.resolve(),
    metrics: createGatewayMetrics([]),
    clock,
    siteClocks: { of: async () => clock },
    monotonicMs: () => nowMs,
    processName: name,
    actor: `gateway:${name}`,
  })
  const foundation = foundationOf('test:1')
  // Its keys grow stale by the real time.
  const wireVaultOf = (each: Foundation) =>
    wireVault({ ...each, monotonicMs: () => performance.now() }, null)
  const vaultParts = await wireVaultOf(foundation)
  const logged: RequestLogEntry[] = []
  const formAddress = {
    nextRequestId: () => foundation.ids.next('request'),
    logRequest: (entry: RequestLogEntry) => logged.push(entry),
    clock,
    whyUrl: null,
  }
  const cardTokens = wireCardTokens(foundation, vaultParts, { formAddress, allowSite: () => true })
  const logins = wireLogins(foundation, vaultParts.keyedDigest)
  const directory: ThreeDsWorld['directory'] = { isSetUp: true, methodUrls: [METHOD_URL] }
  const threeDsServer: ThreeDsServer = {
    isSetUp: () => directory.isSetUp,
    findRange: () => null,
    methodUrls: (_mode, digits) => (digits.startsWith(ENROLLED) ? directory.methodUrls : []),
    authenticate: () => Promise.reject(new Error('nobody is authenticated here')),
    refuse: async () => undefined,
  }
  const parts = wireThreeDsPages(foundation, vaultParts, cardTokens.cardTokens, threeDsServer)
  const { app } = aGateway({
    authenticate: logins.authenticate,
    ...formAddress,
    ...parts.http,
  })
  let challenges = 0

  const world: ThreeDsWorld = {
    app,
    pool: database.pool,
    parts,
    vaultParts,
    cardTokens,
    logged,
    directory,
    pass: (ms) => void (nowMs += ms),
    async anotherProcess() {
      const other = foundationOf('test:2')
      return wireThreeDsPages(other, await wireVaultOf(other), cardTokens.cardTokens, threeDsServer)
    },
    post: (path, fields, headers = {}) => postForm(app, path, fields, headers),
    async ask(changes = {}) {
      const sent = {
        REQ_USERNAME: 'demo@tollgate.test',
        REQ_PASSWORD: 'Sandbox-4.14-demo',
        SITE_ID: '1001',
        MERCH_ACCT_ID: '2001',
        PMT_BIN: '400000',
        ...changes,
      }
      const fields = Object.entries(sent).filter(
        (pair): pair is [string, string] => pair[1] !== undefined,
      )
      const { body } = await postForm(app, '/payment/3dsrequest.cfm', Object.fromEntries(fields))
      return JSON.parse(body) as Record<string, string>
    },
    async challenge(changes = {}) {
      challenges += 1
      const id = String(challenges).padStart(12, '0')
      const made = {
        serverTransId: `11111111-1111-4111-8111-${id}`,
        acsTransId: `22222222-2222-4222-8222-${id}`,
        procTransId: `ProcTran${id}`,
      }
      const tokenId = randomBytes(16).toString('base64url')
      const returnUrl = changes.returnUrl ?? RETURN_URL
      const reference = `70${challenges}-2001`
      await insertTransaction(database.pool, challenges, clock.now())
      await database.pool.query(
        `insert into three_ds_authentications
           (server_trans_id, proc_trans_id, transaction_id, order_id, merchant_id, site_id, mode,
            merchant_account_id, api_user_id, reference, state, fingerprint, amount_minor, currency, kind,
            order_reference, lines_digest, return_url, challenge_window, message_version, trans_status,
            acs_trans_id, acs_url, step_up_token_id, created_at, expires_at, decided_at)
         values ($1, $2, $3, $3, 1, 1001, $4, 2001, 1, $5, $6, '\\x00', 1000, 'USD', 'sale',
                 '', '\\x00', $7, $8, '2.2.0', 'C', $9, $10, $11, $12, $13,
                 case when $6 not in ('asking', 'challenge', 'result') then $12::timestamptz end)`,
        [
          made.serverTransId,
          made.procTransId,
          challenges,
          changes.mode ?? 'test',
          reference,
          changes.state ?? 'challenge',
          returnUrl,
          changes.window ?? '03',
          made.acsTransId,
          changes.acsUrl ?? ACS_URL,
          tokenId,
          clock.now(),
          new Date(nowMs + 30 * 60_000),
        ],
      )
      const token = await parts.tokens.sign('step_up', {
        tokenId,
        merchantAccountId: 2001n,
        reference,
        returnUrl,
        payload: { ACSUrl: changes.acsUrl ?? ACS_URL, TransactionId: made.procTransId },
      })
      return { ...made, token }
    },
    async stop() {
      await vaultParts.stop?.()
      await database.close()
      await server.stop()
    },
  }
  return world
}

/** A transaction to which an authentication belongs; no test reads it. */
async function insertTransaction(pool: pg.Pool, id: number, at: Date): Promise<void> {
  await pool.query(
    `insert into transactions (id, merchant_id, order_id, request_id, kind, state, amount_minor, value_minor, created_at)
     values ($1, 1, $1, $1, 'sale', 'pending', 1000, 1000, $2)`,
    [id, at],
  )
}

async function postForm(
  app: FastifyInstance,
  path: string,
  fields: Readonly<Record<string, string>> | string,
  headers: Readonly<Record<string, string>> = {},
) {
  const {
    body,
    headers: answered,
    statusCode,
  } = await app.inject({
    method: 'POST',
    url: path,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
  })
  return { status: statusCode, body, headers: answered }
}
