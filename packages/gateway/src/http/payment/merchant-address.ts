import type { FastifyInstance } from 'fastify'
import { maskText } from '../../base/card-masking.ts'
import { clientAddress } from '../servers/client-address.ts'
import { actionOf } from './actions.ts'
import { echoOf, type Answer, type Echo, type Response } from './answer.ts'
import { formAddress, type FormAddressDeps } from './form-address.ts'
import { readForm, type Form } from './form.ts'
import { readFormat, write, type Format } from './formats/format.ts'
import { maskParameters } from './masking.ts'
import { lookUpName } from './parameter-names.ts'
import { REFUSALS, type Refusal } from './refusals.ts'

/** An address that merchants' servers call with the login of an API user: what is its own. */
export interface MerchantAddress {
  readonly path: string
  /** Where the request does not ask for one. */
  readonly format: Format
  /** What the request log calls a request here; null: what REQUEST_ACTION says. */
  readonly action: string | null
  readonly respond: (
    form: Form,
    requestId: bigint,
    echo: Echo,
    address: string,
  ) => Promise<Response>
  /** What the request log is to have beside the parameters. */
  readonly warnings?: (params: Form['params'], answer: Answer) => readonly string[]
  /** Lays out a refusal. */
  readonly refuse: (refusal: Refusal, field: string, echo: Echo) => Answer
}

const MAY_BE_EMPTY: ReadonlySet<string> = new Set(['REQUEST_PARES'])
const NO_HEADERS = {}

/** Takes forms in the parameters of the interface, and answers in one of its formats. */
export function merchantAddress(
  app: FastifyInstance,
  deps: FormAddressDeps,
  own: MerchantAddress,
): void {
  formAddress<Response>(app, deps, {
    path: own.path,
    methods: ['POST'],
    allow: 'POST',
    readForm: (_request, body, charset) =>
      readForm(body, { charset, lookUp: lookUpName, mayBeEmpty: MAY_BE_EMPTY }),
    respond: (form, request, requestId) =>
      own.respond(form, requestId, echoOf(form.params, requestId), clientAddress(request)),
    refuse: (name, { params }, requestId) => ({
      answer: own.refuse(REFUSALS[name], '', echoOf(params, requestId)),
      merchantId: null,
      siteId: null,
    }),
    write: ({ answer }, { params }) => ({
      // In the usual format where what is asked for is none that we know.
      ...write(answer, readFormat(params, own.format) ?? own.format),
      headers: NO_HEADERS,
    }),
    log: ({ answer, merchantId, siteId }, { params, unknown }) => ({
      merchantId,
      siteId,
      // Of a stranger it may be anything, a password too; the audit log names users that failed.
      username: merchantId === null ? '' : (params.get('REQ_USERNAME') ?? ''),
      action: own.action ?? maskText(actionOf(params).slice(0, 64)),
      parameters: maskParameters(
        params,
        unknown,
        merchantId !== null,
        own.warnings?.(params, answer) ?? [],
      ),
      ...answer.summary,
      refField: maskText(answer.summary.refField),
    }),
  })
}
