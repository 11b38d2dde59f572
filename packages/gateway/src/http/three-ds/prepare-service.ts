import type { FastifyInstance } from 'fastify'
import type {
  PrepareCollection,
  PrepareResult,
} from '../../usecases/three-ds/prepare-collection.ts'
import { admit, enter, type AccessDeps, type FormNeeds } from '../payment/admit.ts'
import type { WireAnswer, Echo } from '../payment/answer.ts'
import { nameOfField } from '../payment/field-names.ts'
import type { FormAddressDeps } from '../payment/form-address.ts'
import { merchantAddress, type Response } from '../payment/merchant-address.ts'
import { checkValue } from '../payment/parameter-checks.ts'
import { text } from '../payment/record.ts'
import { shortRefusalAnswer } from '../payment/refusal-record.ts'
import type { RefusalName } from '../payment/refusals.ts'
import { REFUSALS } from '../payment/refusals.ts'
import type { MerchantForm, RequestHead } from '../payment/request-head.ts'
import { acceptsVersion } from '../payment/respond.ts'
import { id } from '../payment/value-forms.ts'
import { readPrepareRequest } from './prepare-request.ts'

export interface PrepareServiceDeps extends FormAddressDeps, AccessDeps {
  readonly prepareCollection: PrepareCollection
  /** A site of the merchant that has this account; null when none has. */
  readonly findSiteOfAccount: (merchantId: bigint, accountId: bigint) => Promise<bigint | null>
  /** Scheme, host and port that browsers reach. */
  readonly publicUrl: string
}

/** Its name in the request log and the metrics; no client sends it. */
export const PREPARE_ACTION = '3DSINVOKEDDC'
export const PREPARE_PATH = '/payment/3dsrequest.cfm'
export const COLLECT_PATH = '/V2/Cruise/Collect'
/** Clients rely on the length that PMT_BIN has always had in answers. */
const SHOWN_DIGITS = 6
const ACCOUNT_ID = id()

/** The address that merchants' servers ask before a payment with 3-D Secure. */
export function prepareService(app: FastifyInstance, deps: PrepareServiceDeps): void {
  merchantAddress(app, deps, {
    path: PREPARE_PATH,
    format: 'JSON',
    action: PREPARE_ACTION,
    respond: (form, requestId, address) => respond(deps, form, requestId, address),
    roomOf: () => null,
    refuse: shortRefusalAnswer,
  })
}

const REQUIRED: ReadonlySet<string> = new Set(['REQ_USERNAME', 'REQ_PASSWORD'])

/** The checks of the payment address, in its order. */
async function respond(
  deps: PrepareServiceDeps,
  sent: MerchantForm,
  requestId: bigint,
  address: string,
): Promise<Response> {
  const admission = await admit(deps, sent, needsOf, address)
  const form = admission.kind === 'user' ? admission.form : sent
  const { head, params } = form
  const { siteId: wanted, merchantAccountId: accountId } = head
  const echo: Echo = { ...head.echo, requestId }
  if (admission.kind === 'anonymous') {
    const { refusal, field, merchantId } = admission
    const answer = shortRefusalAnswer(REFUSALS[refusal], field, echo)
    return { answer, merchantId, siteId: null, isUnproven: true }
  }
  const { user } = admission
  let { site } = admission
  const known = (answer: WireAnswer): Response => ({
    answer,
    merchantId: user.merchantId,
    siteId: site?.id ?? null,
    readAs: form,
  })
  const refuse = (name: RefusalName, field: string): Response =>
    known(shortRefusalAnswer(REFUSALS[name], field, echo))
  if (admission.isLimited) return refuse('rate_exceeded', '')

  if (wanted === '') {
    const fault = checkValue(ACCOUNT_ID, accountId)
    if (fault !== null) return refuse(fault, 'MERCH_ACCT_ID')
    const siteId = await deps.findSiteOfAccount(user.merchantId, BigInt(accountId))
    if (siteId === null) return refuse('merchant_account_unknown', 'MERCH_ACCT_ID')
    const access = await enter(deps, head, String(siteId), address)
    if (access.kind === 'refused') {
      return refuse(access.refusal, access.refusal === 'site_unknown' ? 'MERCH_ACCT_ID' : '')
    }
    site = access.site
  }
  if (site === null) return refuse('site_unknown', 'SITE_ID')
  if (head.version !== '' && !acceptsVersion(site, head)) {
    return refuse('version_unknown', 'REQUEST_API_VERSION')
  }
  const asked = { requestId, userId: user.id, site, params, bankTest: null }
  const reading = readPrepareRequest(asked)
  if (reading.kind === 'refused') return refuse(reading.name, reading.field)
  const result = await deps.prepareCollection(reading.command)
  if (result.kind === 'refused') return refuse(result.refusal, nameOfField(result.field))
  return known(preparedAnswer(result, requestId, `${deps.publicUrl}${COLLECT_PATH}`))
}

function needsOf({ missing, siteId, merchantAccountId }: RequestHead): FormNeeds {
  // Without either there is nothing to find an account by.
  const isForNoSite = siteId === '' && merchantAccountId === ''
  return {
    absent:
      missing.find((name) => REQUIRED.has(name)) ?? (isForNoSite ? 'MERCH_ACCT_ID' : undefined),
    siteId: siteId === '' ? '0' : siteId,
  }
}

function preparedAnswer(
  prepared: Extract<PrepareResult, { kind: 'prepared' }>,
  requestId: bigint,
  collectUrl: string,
): WireAnswer {
  return {
    body: {
      kind: 'record',
      record: [
        text('REQ_ID', String(requestId)),
        text('JWT', prepared.token),
        text('PMT_BIN', prepared.leadingDigits.slice(0, SHOWN_DIGITS)),
        text('MERCH_ACCT_ID', String(prepared.merchantAccountId)),
        text('DDC_URL', collectUrl),
        text('DDC_REFERENCEID', prepared.reference),
      ],
    },
    httpStatus: 200,
    summary: {
      apiCode: '0',
      serviceCode: 0,
      refField: '',
      state: '',
      orderId: null,
      transactionId: null,
    },
  }
}
