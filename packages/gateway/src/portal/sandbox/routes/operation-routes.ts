import { sandboxOperations } from '@tollgate/portal-contract/routes/sandbox'
import { z } from 'zod'
import type { SandboxOperation } from '../../../domain/sandbox/sandbox-operation.ts'
import type { Site } from '../../../usecases/merchants/merchant-directory.ts'
import type { OperationReport } from '../../../usecases/sandbox/operation-ports.ts'
import type { PerformOperation } from '../../../usecases/sandbox/perform-operation.ts'
import { ID, idOf } from '../../shell/ids.ts'
import { implement, notFound, orFault, type PortalRoute } from '../../shell/portal-route.ts'
import { portalUserActor } from '../../shell/usecases/portal-user.ts'

export interface OperationRoutesDeps {
  readonly performOperation: PerformOperation
  /** Null for a site of another merchant. */
  readonly readSite: (merchantId: bigint, siteId: bigint) => Promise<Site | null>
}

const OPERATION = z.discriminatedUnion('operation', [
  z.strictObject({ operation: z.enum(['close-batch', 'settle']) }),
  z.strictObject({ operation: z.literal('reject'), transaction: ID }),
  z.strictObject({
    operation: z.enum(['dispute', 'report-fraud', 'expire-authorization']),
    order: ID,
  }),
  z.strictObject({ operation: z.enum(['win-dispute', 'lose-dispute']), dispute: ID }),
  z.strictObject({
    operation: z.literal('answer-dispute'),
    dispute: ID,
    answer: z.enum(['accept', 'contest']),
  }),
  z.strictObject({
    operation: z.literal('decide-dispute'),
    dispute: ID,
    issuer: z.enum(['accepts', 'rejects']),
  }),
  z.strictObject({ operation: z.literal('charge-membership'), membership: ID }),
])

/** Operations at the merchant's test sites, for its portal users. */
export function operationRoutes({
  performOperation,
  readSite,
}: OperationRoutesDeps): readonly PortalRoute[] {
  return [
    implement(sandboxOperations.perform, {
      body: OPERATION,
      async handle({ address, body, params, portalUser }) {
        const site = await readSite(portalUser.merchantId, idOf(params.id, 'site'))
        if (site === null) throw notFound('site')
        const by = { actor: portalUserActor(portalUser), address }
        const { report } = orFault(await performOperation(site, operationOf(body), by))
        return { sentence: SENTENCES[body.operation](report) }
      },
    }),
  ]
}

/** A case cannot be contested without a text. */
const EVIDENCE = 'Contested in the sandbox.'

function operationOf(body: z.infer<typeof OPERATION>): SandboxOperation {
  switch (body.operation) {
    case 'close-batch':
    case 'settle':
      return { operation: body.operation, accountId: null }
    case 'reject':
      return { operation: body.operation, transactionId: body.transaction }
    case 'dispute': {
      const whole = { amount: null, reason: null, event: 'chargeback' } as const
      return { operation: body.operation, orderId: body.order, ...whole }
    }
    case 'report-fraud':
      return { operation: body.operation, orderId: body.order, amount: null }
    case 'expire-authorization':
      return { operation: body.operation, orderId: body.order }
    case 'win-dispute':
    case 'lose-dispute':
      return { operation: body.operation, disputeId: body.dispute }
    case 'answer-dispute': {
      const { answer, dispute: disputeId, operation } = body
      return { operation, disputeId, answer, text: answer === 'contest' ? EVIDENCE : '' }
    }
    case 'decide-dispute':
      return { operation: body.operation, disputeId: body.dispute, issuer: body.issuer }
    case 'charge-membership':
      return { operation: body.operation, membershipId: body.membership, bankTest: null }
  }
}

const moved = ({ dispute, state }: OperationReport): string =>
  `Dispute ${String(dispute)}: ${String(state).replaceAll('_', ' ')}.`

function namesOf(files: OperationReport[string] | undefined): string {
  return Array.isArray(files)
    ? files.map((each: { readonly file?: string }) => each.file).join(', ')
    : ''
}

/** The result, for the reader of the page. */
const SENTENCES: Readonly<
  Record<SandboxOperation['operation'], (report: OperationReport) => string>
> = {
  'close-batch': ({ batch }) => `Batch ${String(batch)} is closed.`,
  settle: ({ files }) => `Imported settlement files: ${namesOf(files)}.`,
  reject: ({ transaction }) =>
    `The next settlement file rejects transaction ${String(transaction)}.`,
  dispute: moved,
  'report-fraud': moved,
  'answer-dispute': moved,
  'decide-dispute': moved,
  'win-dispute': moved,
  'lose-dispute': moved,
  'expire-authorization': ({ currency, released }) =>
    `The authorization has expired. ${String(released)} ${String(currency)} are released.`,
  'charge-membership': ({ order, outcome }) =>
    `Charge of order ${String(order)}: ${String(outcome)}.`,
}
