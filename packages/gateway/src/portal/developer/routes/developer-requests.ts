import { REQUEST_OUTCOMES } from '@tollgate/portal-contract/request-outcomes'
import { requests as log } from '@tollgate/portal-contract/routes/developer'
import { z } from 'zod'
import { serviceAdvice } from '../../../domain/payments/service-codes.ts'
import { AVS_CODES, CVV_CODES } from '../../../domain/payments/verification.ts'
import { ACTION_NAMES } from '../../../http/payment/actions.ts'
import { describeParameter } from '../../../http/payment/parameter-names.ts'
import { PAYMENT_PATH } from '../../../http/payment/pmt-service.ts'
import { PREPARE_ACTION, PREPARE_PATH } from '../../../http/three-ds/prepare-service.ts'
import { TOKEN_ACTION, TOKEN_PATH } from '../../../http/tokens/token-service.ts'
import { ID, idOf } from '../../shell/ids.ts'
import { implement, notFound, PortalFault, type PortalRoute } from '../../shell/portal-route.ts'
import { bankCodeMeaning, serviceMeaning } from '../../words/decline-reasons.ts'
import { findRefusal, type KnownRefusal } from '../../words/known-refusal.ts'
import { curlCommand, sentParameters } from '../domain/curl.ts'
import {
  type KeptRequest,
  type RequestDetail,
  type RequestFilter,
  type RequestLogReader,
  type RequestPlace,
} from '../usecases/request-views.ts'

/** The response's data beside its codes, for a request that became a transaction. */
export interface AnswerCodes {
  readonly processorCode: string
  readonly processorAdvice: string
  readonly industryCode: string
  readonly industryAdvice: string
  readonly responseCode: string
  readonly avsCode: string
  readonly cvvCode: string
}

export interface DeveloperRequestsDeps {
  readonly requests: RequestLogReader
  readonly findCodes: (merchantId: bigint, transactionId: bigint) => Promise<AnswerCodes | null>
}

const PAGE = 50
const moment = z.iso
  .datetime({ offset: true, error: 'expected a time such as 2026-11-21T16:00:00Z' })
  .transform((text) => new Date(text))
const text = z.string().min(1).max(255)

const LIST = z.object({
  site: ID.optional(),
  action: text.optional(),
  outcome: z.string().pipe(z.enum(REQUEST_OUTCOMES)).optional(),
  api: z
    .string()
    .regex(/^[0-9]{1,4}$/, 'expected an API code')
    .optional(),
  service: z
    .string()
    .regex(/^[0-9]{1,4}$/, 'expected a SERVICE code')
    .transform(Number)
    .optional(),
  user: text.optional(),
  address: text.optional(),
  from: moment.optional(),
  to: moment.optional(),
  order: z
    .string()
    .pipe(z.enum(['yes', 'no']))
    .optional(),
  id: ID.optional(),
  after: z.string().max(60).optional(),
})

/** The request log: what was asked, what was answered, and the difference between two. */
export function developerRequests({
  requests,
  findCodes,
}: DeveloperRequestsDeps): readonly PortalRoute[] {
  return [
    implement(log.list, {
      query: LIST,
      handle: async ({ portalUser, query }) => {
        const page = await requests.list(
          portalUser.merchantId,
          filterOf(query),
          placeOf(query.after),
          PAGE,
        )
        return {
          rows: page.rows,
          next: page.next === null ? null : `${page.next.receivedAt.toISOString()} ${page.next.id}`,
          lookedBackTo: page.lookedBackTo,
          actions: [...ACTION_NAMES, PREPARE_ACTION, TOKEN_ACTION],
        }
      },
    }),
    implement(log.read, {
      handle: async ({ portalUser, params }) => {
        const request = await requests.find(portalUser.merchantId, idOf(params.id, 'request'))
        if (request === null) throw notFound('request')
        const codes =
          request.transactionId === null
            ? null
            : await findCodes(portalUser.merchantId, request.transactionId)
        return describeRequest(request, codes)
      },
    }),
  ]
}

/** A kept request with everything in words. */
function describeRequest(request: KeptRequest, codes: AnswerCodes | null): RequestDetail {
  const refusal = findRefusal(request)
  const isAnswered = request.apiCode === '0'
  const path = pathOf(request.action)
  const { parameters: kept, operationRefusal: _, ...row } = request
  return {
    ...row,
    path,
    refusal,
    parameters: sentParameters(kept).map(([name, value]) => ({
      name,
      value,
      meaning: describeParameter(name)?.meaning ?? '',
    })),
    unknown: textsOf(kept['UNKNOWN_PARAMETERS']),
    warnings: textsOf(kept['WARNINGS']),
    codes: [
      {
        tier: 'API',
        code: request.apiCode,
        text: isAnswered ? '' : (refusal?.text ?? ''),
        meaning: isAnswered ? 'The request is valid.' : (refusal?.meaning ?? ''),
      },
      {
        tier: 'SERVICE',
        code: String(request.serviceCode),
        text: serviceText(request, refusal),
        meaning: !isAnswered
          ? 'No payment was attempted.'
          : refusal?.tier === 'SERVICE'
            ? refusal.meaning
            : serviceMeaning(request.serviceCode).reason,
      },
      ...(codes === null
        ? []
        : [
            {
              tier: 'PROCESSOR',
              code: codes.processorCode || '0',
              text: codes.processorAdvice,
              meaning: bankCodeMeaning(codes.processorCode) ?? '',
            },
            {
              tier: 'INDUSTRY',
              code: codes.industryCode || '0',
              text: codes.industryAdvice,
              meaning: bankCodeMeaning(codes.industryCode) ?? '',
            },
            ...(codes.avsCode === ''
              ? []
              : [
                  {
                    tier: 'AVS',
                    code: codes.avsCode,
                    text: '',
                    meaning: AVS_CODES[codes.avsCode] ?? '',
                  },
                ]),
            ...(codes.cvvCode === ''
              ? []
              : [
                  {
                    tier: 'CVV',
                    code: codes.cvvCode,
                    text: '',
                    meaning: CVV_CODES[codes.cvvCode] ?? '',
                  },
                ]),
          ]),
    ],
    curl: path === null ? null : curlCommand(`BASE${path}`, kept),
  }
}

function serviceText(request: KeptRequest, refusal: KnownRefusal | null): string {
  if (refusal?.name === 'operation_refused') return refusal.text
  return request.apiCode === '0' ? serviceAdvice(request.serviceCode) : ''
}

function pathOf(action: string): string | null {
  if (action === PREPARE_ACTION) return PREPARE_PATH
  return action === TOKEN_ACTION ? TOKEN_PATH : PAYMENT_PATH
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : []
}

function filterOf(query: z.output<typeof LIST>): RequestFilter {
  return {
    siteId: query.site ?? null,
    action: query.action ?? null,
    outcome: query.outcome ?? null,
    apiCode: query.api ?? null,
    serviceCode: query.service ?? null,
    username: query.user ?? null,
    address: query.address ?? null,
    from: query.from ?? null,
    to: query.to ?? null,
    hasOrder: query.order === undefined ? null : query.order === 'yes',
    id: query.id ?? null,
  }
}

function placeOf(given: string | undefined): RequestPlace | null {
  if (given === undefined) return null
  const [at = '', number = ''] = given.split(' ')
  const receivedAt = new Date(at)
  const id = ID.safeParse(number)
  if (Number.isNaN(receivedAt.getTime()) || !id.success) {
    throw new PortalFault(
      400,
      'invalid',
      'after: expected the "next" value of the previous page.',
      'after',
    )
  }
  return { receivedAt, id: id.data }
}
