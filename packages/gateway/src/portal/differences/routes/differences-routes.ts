import {
  CHOSEN_ENDS,
  DIFFERENCE_TEXTS,
  type ChosenEnd,
  type SettlementDifferenceCode,
} from '@tollgate/portal-contract/difference-words'
import { differences as table } from '@tollgate/portal-contract/routes/differences'
import { z } from 'zod'
import type { Result } from '../../../base/refusal.ts'
import type { DifferenceChanges } from '../../../usecases/settlement/change-difference.ts'
import type {
  DifferenceFilter,
  DifferenceReader,
  DifferenceView,
} from '../../../usecases/settlement/difference-store.ts'
import { ID, idOf } from '../../shell/ids.ts'
import {
  Download,
  implement,
  notFound,
  orFault,
  PortalFault,
  type PortalRoute,
} from '../../shell/portal-route.ts'
import { portalUserActor } from '../../shell/usecases/portal-user.ts'
import type { DifferenceChoices } from '../store/difference-choices.ts'
import { listOwners } from '../usecases/difference-owners.ts'
import { differencesCsv } from './differences-csv.ts'

const PAGE = 50
const MOST_CHARACTERS = 2_000
const CODES = Object.keys(DIFFERENCE_TEXTS) as SettlementDifferenceCode[]
const ENDS = Object.keys(CHOSEN_ENDS) as ChosenEnd[]
const FILTER = {
  state: z.enum(['open', 'ended', 'all']).default('open'),
  code: z.enum(CODES).optional(),
  account: ID.optional(),
  owner: z.string().max(254).optional(),
  olderThan: z
    .string()
    .regex(/^\d{1,3}$/, 'expected a number of bank days from 0 to 999')
    .transform(Number)
    .optional(),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'expected a currency such as EUR')
    .optional(),
}
const FILTER_QUERY = z.object(FILTER)
const LIST_QUERY = z.object({ ...FILTER, after: ID.optional() })

export interface DifferencesRoutesDeps {
  readonly reader: DifferenceReader
  readonly choices: DifferenceChoices
  /** The changes within one merchant. */
  readonly changesOf: (merchantId: bigint) => DifferenceChanges
  readonly clock: { now(): Date }
}

/** Settlement differences of a merchant: found, given an owner, noted and ended. */
export function differencesRoutes({
  changesOf,
  choices,
  clock,
  reader,
}: DifferencesRoutesDeps): readonly PortalRoute[] {
  return [
    implement(table.list, {
      query: LIST_QUERY,
      async handle({ portalUser: { merchantId }, query }) {
        const filter = filterOf(merchantId, query)
        const now = clock.now()
        const page = { after: query.after ?? null, limit: PAGE + 1 }
        const [found, totals, accounts, owners] = await Promise.all([
          reader.list(filter, page, now),
          reader.total(filter, now),
          choices.accounts(merchantId),
          listOwners(choices.users, merchantId),
        ])
        const shown = found.slice(0, PAGE)
        const next = found.length > PAGE ? (shown.at(-1)?.id ?? null) : null
        return { differences: shown.map(rowOf), next, totals, accounts, owners }
      },
    }),
    implement(table.csv, {
      query: FILTER_QUERY,
      handle({ portalUser: { merchantId }, query }) {
        const filter = filterOf(merchantId, query)
        const now = clock.now()
        return Promise.resolve(
          new Download(
            'settlement-differences.csv',
            'text/csv; charset=utf-8',
            differencesCsv((after, limit) => reader.list(filter, { after, limit }, now)),
          ),
        )
      },
    }),
    implement(table.read, {
      async handle({ portalUser: { merchantId }, params }) {
        const id = idOf(params.id, 'difference')
        const found = await reader.read(id, merchantId, clock.now())
        if (found === null) throw notFound('difference')
        const { end, fileLine, notes, proposal } = found
        const owners = await listOwners(choices.users, merchantId)
        const payoutId = found.payoutId ?? fileLine?.payoutId ?? null
        return { ...rowOf(found), proposal, fileLine, payoutId, notes, end, owners }
      },
    }),
    implement(table.assign, {
      body: z.strictObject({ owner: z.email().max(254) }),
      async handle({ portalUser, address, params, body: { owner } }) {
        const { merchantId } = portalUser
        const id = idOf(params.id, 'difference')
        const owners = await listOwners(choices.users, merchantId)
        if (!owners.some(({ email }) => email === owner)) {
          const found = await reader.read(id, merchantId, clock.now())
          if (found === null) throw notFound('difference')
          const fault = `${owner} may not resolve differences. Choose another user.`
          throw new PortalFault(400, 'invalid', fault, 'owner')
        }
        const by = { actor: portalUserActor(portalUser), address }
        accept(await changesOf(merchantId).assign(id, owner, by), 'owner')
        return { done: true }
      },
    }),
    implement(table.note, {
      body: z.strictObject({ text: z.string().trim().max(MOST_CHARACTERS) }),
      async handle({ portalUser, address, params, body }) {
        const by = { actor: portalUserActor(portalUser), address }
        const changes = changesOf(portalUser.merchantId)
        const noted = await changes.note(idOf(params.id, 'difference'), body.text, by)
        accept(noted, 'text')
        return { done: true }
      },
    }),
    implement(table.end, {
      body: z.strictObject({
        as: z.enum(ENDS),
        reason: z.string().trim().max(MOST_CHARACTERS),
      }),
      async handle({ portalUser, address, params, body: { as, reason } }) {
        const by = { actor: portalUserActor(portalUser), address }
        const changes = changesOf(portalUser.merchantId)
        const ended = await changes.end(idOf(params.id, 'difference'), as, reason, by)
        accept(ended, 'reason')
        return { done: true }
      },
    }),
  ]
}

/** The words with which a fault of a field begins. */
const FIELD_FAULTS = { owner: 'The owner', text: 'The note', reason: 'The reason' } as const

/** Fails as a form that names the field at fault, or as the address of nothing. */
function accept(result: Result, field: keyof typeof FIELD_FAULTS): void {
  if (!result.ok && result.kind === 'missing') throw notFound('difference')
  orFault(result, (fault) => (fault.startsWith(FIELD_FAULTS[field]) ? field : null))
}

function filterOf(
  merchantId: bigint,
  { account, code, currency, olderThan, owner, state }: z.output<typeof FILTER_QUERY>,
): DifferenceFilter {
  return {
    merchantId,
    merchantAccountId: account ?? null,
    state: state === 'all' ? null : state,
    code: code ?? null,
    owner: owner === 'none' ? '' : (owner ?? null),
    olderThanBankDays: olderThan ?? null,
    currency: currency ?? null,
  }
}

function rowOf(view: DifferenceView) {
  const { ageBankDays, bank, code, here, id, line, orderId, owner, since, state } = view
  const { fileId, merchantAccountId, transactionId } = view
  return {
    id,
    code,
    state,
    merchantAccountId,
    orderId,
    transactionId,
    fileId,
    line,
    here,
    bank,
    since,
    ageBankDays,
    owner,
  }
}
