import { mayDo, type Right, type Role } from '@tollgate/portal-contract/rights'
import { createHash } from 'node:crypto'
import type pg from 'pg'
import { appendAudit } from '../../../adapters/postgres/audit/audit-log.ts'
import { AUDITED, inTransaction } from '../../../adapters/postgres/connection/transaction.ts'
import { moveSite } from '../../../adapters/postgres/merchants/account-admin.ts'
import type { AuditAct, AuditEntry } from '../../../usecases/audit/audit-log.ts'
import type { Mode } from '../../../usecases/merchants/merchant-directory.ts'
import type { Outcome } from '../../../usecases/merchants/operator.ts'
import { personActor } from '../../shell/usecases/person.ts'
import { differences, leftBehindLines, type Difference } from '../domain/going-live.ts'
import type { Doer, GoingLive, GoLiveRequest, GoLiveState } from '../usecases/going-live.ts'
import { readLeftBehind, readModeFacts, type ModeFactsDeps } from './mode-facts.ts'

interface RequestRow {
  readonly id: string
  readonly site_id: string
  readonly site_name: string
  readonly wanted_mode: Mode
  readonly state: GoLiveState
  readonly listed: readonly Difference[]
  readonly reason: string
  readonly asked_by: string
  readonly asked_name: string
  readonly asked_email: string
  readonly asked_at: Date
  readonly expires_at: Date
  readonly decided_name: string | null
  readonly decided_at: Date | null
  readonly decision_reason: string
}

interface LockedRow {
  readonly id: string
  readonly wanted_mode: Mode
  readonly state: GoLiveState
  readonly digest: Buffer
  readonly asked_by: string
  readonly asked_session: string
  readonly over: boolean
}

type Settled = Outcome<{ readonly entries: readonly AuditEntry[] }>

/** Requests to move sites, in the database. */
export function createGoingLive(deps: ModeFactsDeps & { readonly pool: pg.Pool }): GoingLive {
  const { pool } = deps

  async function listing(
    client: Pick<pg.ClientBase | pg.Pool, 'query'>,
    merchantId: bigint,
    siteId: bigint,
  ) {
    const facts = await readModeFacts(client, deps, merchantId, siteId)
    if (facts === null) return null
    const lines = differences(facts)
    return { from: facts.from, to: facts.to, lines, digest: digestOf(facts.to, lines) }
  }

  /**
   * A data key that is new here may be unwrapped by a KMS: before the site is held, not while
   * others wait for it.
   */
  async function knowKeys({ person }: Doer, siteId: bigint): Promise<void> {
    await listing(pool, person.merchantId, siteId)
  }

  /**
   * Holds the site, so that all who ask and decide come one after the other; a refusal changes
   * nothing.
   */
  async function holdingSite(
    doer: Doer,
    siteId: bigint,
    right: Right,
    work: (client: pg.ClientBase) => Promise<Settled>,
  ): Promise<Outcome<object>> {
    return inTransaction(pool, AUDITED, async (client): Promise<Outcome<object>> => {
      const { rowCount } = await client.query(
        'select from sites where id = $1 and merchant_id = $2 for update',
        [siteId, doer.person.merchantId],
      )
      if (rowCount === 0) return no(`There is no site ${siteId}.`)
      if (!(await stillMay(client, doer.person.id, right))) {
        return no('Your role was changed meanwhile, and does not allow it any more.')
      }
      const settled = await work(client)
      if (!settled.ok) return settled
      await appendAudit(client, settled.entries)
      return { ok: true }
    })
  }

  /** The request, locked; its site is held already. */
  async function findRequest(
    client: pg.ClientBase,
    siteId: bigint,
    id: bigint,
  ): Promise<LockedRow | undefined> {
    const { rows } = await client.query<LockedRow>(
      `select id, wanted_mode, state, digest, asked_by, asked_session, expires_at <= now() as over
         from go_live_requests where id = $1 and site_id = $2 for update`,
      [id, siteId],
    )
    return rows[0]
  }

  async function settle(
    client: pg.ClientBase,
    { person, sessionId }: Doer,
    id: string,
    state: GoLiveState,
    reason = '',
  ): Promise<void> {
    await client.query(
      `update go_live_requests set state = $2, decided_by = $3, decided_session = $4, decided_at = now(), decision_reason = $5
        where id = $1`,
      [id, state, person.id, sessionId, reason],
    )
  }

  /** Ends a request that nobody decided on, outside of the transaction that found it. */
  async function endUndecided(id: string, state: 'void' | 'expired'): Promise<void> {
    await pool.query(
      `update go_live_requests set state = $2, decided_at = now() where id = $1 and state = 'open'`,
      [id, state],
    )
  }

  async function decide(
    doer: Doer,
    siteId: bigint,
    id: bigint,
    work: (client: pg.ClientBase, request: LockedRow) => Promise<Settled>,
  ): Promise<Outcome<object>> {
    let over: { readonly id: string; readonly state: 'void' | 'expired' } | null = null
    const outcome = await holdingSite(
      doer,
      siteId,
      'sites.approve_live',
      async (client): Promise<Settled> => {
        const request = await findRequest(client, siteId, id)
        const fault = faultOf(request, doer)
        if (request === undefined || fault !== null) {
          if (request?.state === 'open' && request.over) over = { id: request.id, state: 'expired' }
          return no(fault ?? 'There is no such request.')
        }
        const settled = await work(client, request)
        if (!settled.ok && settled.stale === true) over = { id: request.id, state: 'void' }
        return settled
      },
    )
    const ended = over as { readonly id: string; readonly state: 'void' | 'expired' } | null
    if (ended !== null) await endUndecided(ended.id, ended.state)
    return outcome
  }

  return {
    async dryRun(merchantId, siteId) {
      const found = await listing(pool, merchantId, siteId)
      if (found === null) return null
      const left = await readLeftBehind(pool, merchantId, siteId, found.from)
      return { ...found, lines: withLeftBehind(found.lines, leftBehindLines(found.from, left)) }
    },

    async list(merchantId, siteId) {
      await pool.query(
        `update go_live_requests set state = 'expired', decided_at = now()
          where merchant_id = $1 and state = 'open' and expires_at <= now()`,
        [merchantId],
      )
      const { rows } = await pool.query<RequestRow>(
        `select r.id, r.site_id, s.name as site_name, r.wanted_mode, r.state, r.listed, r.reason, r.asked_by,
                a.name as asked_name, a.email as asked_email, r.asked_at, r.expires_at, d.name as decided_name,
                r.decided_at, r.decision_reason
           from go_live_requests r
           join sites s on s.id = r.site_id
           join portal_people a on a.id = r.asked_by
           left join portal_people d on d.id = r.decided_by
          where r.merchant_id = $1 and ($2::bigint is null or r.site_id = $2)
          order by (r.state = 'open') desc, r.id desc limit 20`,
        [merchantId, siteId ?? null],
      )
      return rows.map(requestOf)
    },

    async ask(doer, siteId, digest, reason) {
      let made = 0n
      await knowKeys(doer, siteId)
      const left = await pool
        .query<{ mode: Mode }>('select mode from sites where id = $1 and merchant_id = $2', [
          siteId,
          doer.person.merchantId,
        ])
        .then(({ rows }) =>
          rows[0] === undefined
            ? null
            : readLeftBehind(pool, doer.person.merchantId, siteId, rows[0].mode),
        )
      const outcome = await holdingSite(
        doer,
        siteId,
        'sites.go_live',
        async (client): Promise<Settled> => {
          const found = await listing(client, doer.person.merchantId, siteId)
          if (found === null) return no(`There is no site ${siteId}.`)
          if (found.digest !== digest) {
            return {
              ...no('What the dry run lists has changed since you opened it. Read it again.'),
              stale: true,
            }
          }
          const blocked = found.lines.filter(({ level }) => level === 'blocks')
          if (blocked.length > 0) return no(...blocked.map(({ title }) => `${title}.`))
          await client.query(
            `update go_live_requests set state = 'expired', decided_at = now()
            where site_id = $1 and state = 'open' and expires_at <= now()`,
            [siteId],
          )
          const lines =
            left === null
              ? found.lines
              : withLeftBehind(found.lines, leftBehindLines(found.from, left))
          const { rows } = await client.query<{ id: string }>(
            `insert into go_live_requests (merchant_id, site_id, wanted_mode, listed, digest, reason, asked_by, asked_session)
           values ($1, $2, $3, $4, decode($5, 'hex'), $6, $7, $8)
           on conflict (site_id) where state = 'open' do nothing returning id`,
            [
              doer.person.merchantId,
              siteId,
              found.to,
              JSON.stringify(lines),
              digest,
              reason,
              doer.person.id,
              doer.sessionId,
            ],
          )
          const [row] = rows
          if (row === undefined) return no('There is an open request for this site already.')
          made = BigInt(row.id)
          const details = {
            request: row.id,
            before: found.from,
            after: found.to,
            listed: lines.map(lineText),
            reason,
          }
          return { ok: true, entries: [entryFor(doer, siteId, 'site.go_live_asked', details)] }
        },
      )
      return outcome.ok ? { ok: true, id: made } : outcome
    },

    async approve(doer, siteId, id) {
      await knowKeys(doer, siteId)
      return decide(doer, siteId, id, async (client, request): Promise<Settled> => {
        if (!(await stillMay(client, BigInt(request.asked_by), 'sites.go_live'))) {
          return {
            ...no('Whoever asked for it may not ask any more. The request is void.'),
            stale: true,
          }
        }
        if (await cameInOfLate(client, doer.person.id)) {
          return no(
            'You came in by a link that was made here within the last 24 hours, so that you might be the person who asked. ' +
              'Have another person approve it, or do it a day after.',
          )
        }
        const found = await listing(client, doer.person.merchantId, siteId)
        if (found === null) return no(`There is no site ${siteId}.`)
        if (found.to !== request.wanted_mode || found.digest !== request.digest.toString('hex')) {
          const fault =
            'What the request listed has changed since it was made, so it is void. Have it asked for again.'
          return { ...no(fault), stale: true }
        }
        await settle(client, doer, request.id, 'approved')
        const by = { actor: personActor(doer.person), address: doer.address }
        const { outcome, entry } = await moveSite(client, Number(siteId), request.wanted_mode, by)
        if (!outcome.ok) return outcome
        const approved = entryFor(doer, siteId, 'site.go_live_approved', { request: request.id })
        return { ok: true, entries: entry === null ? [approved] : [approved, entry] }
      })
    },

    refuse: (doer, siteId, id, reason) =>
      decide(doer, siteId, id, async (client, request): Promise<Settled> => {
        await settle(client, doer, request.id, 'refused', reason)
        return {
          ok: true,
          entries: [
            entryFor(doer, siteId, 'site.go_live_refused', { request: request.id, reason }),
          ],
        }
      }),

    withdraw: (doer, siteId, id) =>
      holdingSite(doer, siteId, 'sites.go_live', async (client): Promise<Settled> => {
        const request = await findRequest(client, siteId, id)
        if (request === undefined) return no('There is no such request.')
        if (request.state !== 'open') return no(`The request is ${request.state} already.`)
        if (BigInt(request.asked_by) !== doer.person.id)
          return no('Only the person who asked may take it back. Refuse it instead.')
        await settle(client, doer, request.id, 'withdrawn')
        return {
          ok: true,
          entries: [entryFor(doer, siteId, 'site.go_live_withdrawn', { request: request.id })],
        }
      }),
  }
}

/** Why this person may not decide on it; null where they may. */
function faultOf(request: LockedRow | undefined, { person, sessionId }: Doer): string | null {
  if (request === undefined) return 'There is no such request.'
  if (request.state !== 'open') return `The request is ${request.state} already.`
  if (request.over)
    return 'The request is older than 24 hours and has expired. Have it asked for again.'
  if (BigInt(request.asked_by) === person.id || BigInt(request.asked_session) === sessionId) {
    return 'You asked for it yourself. Another person has to decide.'
  }
  return null
}

function no(...faults: string[]): { readonly ok: false; readonly faults: readonly string[] } {
  return { ok: false, faults }
}

/** Judged again under the lock: a role may be taken away while a page is open. */
async function stillMay(client: pg.ClientBase, personId: bigint, right: Right): Promise<boolean> {
  const { rows } = await client.query<{ role: Role }>(
    'select role from portal_people where id = $1 and active for share',
    [personId],
  )
  return rows[0] !== undefined && mayDo(rows[0].role, right)
}

/**
 * Whoever makes a link for somebody can open it themselves, and be two people for as long as nobody
 * notices. Operators are left out: they can move a site alone.
 */
async function cameInOfLate(client: pg.ClientBase, personId: bigint): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from portal_invitations
      where person_id = $1 and made_by like 'person:%' and made_at > now() - interval '24 hours' limit 1`,
    [personId],
  )
  return rowCount === 1
}

function digestOf(to: Mode, lines: readonly Difference[]): string {
  return createHash('sha256')
    .update(JSON.stringify([to, lines]))
    .digest('hex')
}

function withLeftBehind(lines: readonly Difference[], left: readonly Difference[]): Difference[] {
  const firstInfo = lines.findIndex(({ level }) => level === 'info')
  const at = firstInfo === -1 ? lines.length : firstInfo
  return lines.toSpliced(at, 0, ...left)
}

function lineText({ level, title }: Difference): string {
  return `${level}: ${title}`
}

function entryFor(
  { person, address }: Doer,
  siteId: bigint,
  act: AuditAct,
  details: NonNullable<AuditEntry['details']>,
): AuditEntry {
  const actor = personActor(person)
  return {
    actor,
    address,
    act,
    object: `site ${siteId}`,
    merchantId: person.merchantId,
    result: 'done',
    details,
  }
}

function requestOf(row: RequestRow): GoLiveRequest {
  return {
    id: BigInt(row.id),
    siteId: BigInt(row.site_id),
    siteName: row.site_name,
    wantedMode: row.wanted_mode,
    state: row.state,
    listed: row.listed,
    reason: row.reason,
    askedBy: { id: BigInt(row.asked_by), name: row.asked_name, email: row.asked_email },
    askedAt: row.asked_at,
    expiresAt: row.expires_at,
    decidedBy: row.decided_name,
    decidedAt: row.decided_at,
    decisionReason: row.decision_reason,
  }
}
