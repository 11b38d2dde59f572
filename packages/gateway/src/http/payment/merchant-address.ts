import type { FastifyInstance, FastifyRequest } from 'fastify'
import { maskText } from '../../base/card-masking.ts'
import { clientAddress } from '../servers/client-address.ts'
import type { WireAnswer, Echo } from './answer.ts'
import { namesCharset } from './charset.ts'
import { adviceHeader } from './explaining-headers.ts'
import { EMPTY_FORM, formAddress, type FormAddressDeps, type LoggedAnswer } from './form-address.ts'
import { readForm, type Form, type FormCharset } from './form.ts'
import { write, type Format } from './formats/format.ts'
import { createKnownSenders } from './known-senders.ts'
import { maskParameters } from './masking.ts'
import { lookUpName } from './parameter-names.ts'
import { REFUSALS, type WireRefusal } from './refusals.ts'
import { KEY_HEADER, KEY_PARAMETER, withHeader } from './repeatable-request.ts'
import { readHead, type MerchantForm } from './request-head.ts'
import { TEST_HEADER, TEST_PARAMETER } from './test-parameter.ts'

/** An answer, and the merchant and site that are known to have asked for it. */
export interface Response {
  readonly answer: WireAnswer
  /** Null for a request that names no user. */
  readonly merchantId: bigint | null
  readonly siteId: bigint | null
  /** The merchant is only that of a user whose login was refused. */
  readonly isUnproven?: boolean
  /** The form that was answered, if it is not the first reading of the body. */
  readonly readAs?: MerchantForm
}

/** The settings of one address that merchants' servers call with the login of an API user. */
export interface MerchantAddress {
  readonly path: string
  /** The format of answers to requests that ask for none. */
  readonly format: Format
  /** The name of a request here in the request log; null: its REQUEST_ACTION. */
  readonly action: string | null
  readonly respond: (form: MerchantForm, requestId: bigint, address: string) => Promise<Response>
  /** Whether another request of a merchant can be answered now; null: of every merchant. */
  readonly roomOf: () => ((merchantId: bigint) => boolean) | null
  /** Lays out a refusal. */
  readonly refuse: (refusal: WireRefusal, field: string, echo: Echo) => WireAnswer
}

const MAY_BE_EMPTY: ReadonlySet<string> = new Set(['REQUEST_PARES'])
const NO_HEADERS = {}

/** Takes forms in the parameters of the interface, and answers in one of its formats. */
export function merchantAddress(
  app: FastifyInstance,
  deps: FormAddressDeps,
  own: MerchantAddress,
): void {
  const withHead = (form: Form): MerchantForm => ({
    ...form,
    head: readHead(form.params, own.format),
    inLatin1: null,
  })
  const read = (body: Buffer, charset: FormCharset, { headers }: FastifyRequest): MerchantForm => {
    const form = readForm(body, { charset, lookUp: lookUpName, mayBeEmpty: MAY_BE_EMPTY })
    const keyed = withHeader(form, KEY_PARAMETER, headers[KEY_HEADER])
    return withHead(withHeader(keyed, TEST_PARAMETER, headers[TEST_HEADER]))
  }
  const senders = createKnownSenders()
  formAddress<Response, MerchantForm>(app, deps, {
    path: own.path,
    methods: ['POST'],
    allow: 'POST',
    unread: withHead(EMPTY_FORM),
    readForm(request, body, charset) {
      const form = read(body, charset, request)
      const isGuess = form.problem?.kind === 'undecodable' && !namesCharset(request)
      return isGuess ? { ...form, inLatin1: read(body, 'iso-8859-1', request) } : form
    },
    hasRoom(request) {
      const hasRoom = own.roomOf()
      const merchantId = hasRoom === null ? null : senders.of(request)
      return hasRoom === null || merchantId === null || hasRoom(merchantId)
    },
    async respond(form, request, requestId) {
      const response = await own.respond(form, requestId, clientAddress(request))
      const { isUnproven = false, merchantId } = response
      if (merchantId !== null && !isUnproven) senders.note(request, merchantId)
      return response
    },
    refuse: (name, { head }, requestId) => ({
      answer: own.refuse(REFUSALS[name], '', { ...head.echo, requestId }),
      merchantId: null,
      siteId: null,
    }),
    write: ({ answer }, form, request) => ({
      // An unknown format is refused in the usual one.
      ...write(answer, form.head.format ?? own.format),
      headers: {
        ...(deps.whyUrl === null ? NO_HEADERS : adviceHeader(answer, form, request)),
        ...answer.headers,
      },
    }),
    log: (response, form) => logged(own, response.readAs ?? form, response),
  })
}

function logged(
  own: Pick<MerchantAddress, 'action'>,
  { head, params, unknown }: MerchantForm,
  { answer, merchantId, siteId, isUnproven }: Response,
): LoggedAnswer {
  return {
    merchantId,
    isUnproven: isUnproven === true,
    siteId,
    // Unauthenticated text may be anything, even a password; the audit log names failed users.
    username: merchantId === null ? '' : head.username,
    action: own.action ?? maskText(head.action.slice(0, 64)),
    parameters: maskParameters(params, unknown, merchantId !== null, answer.warnings ?? []),
    ...answer.summary,
    refField: maskText(answer.summary.refField),
  }
}
