import { requests as log } from '@tollgate/portal-contract/routes/developer'
import { findTestValue, type TestValueFound } from '../../../domain/banks/test-bank.ts'
import { findCurrency as currencyByCode } from '../../../domain/currency.ts'
import { formatMinor } from '../../../domain/money.ts'
import { serviceAdvice } from '../../../domain/payments/service-codes.ts'
import { AVS_CODES, CVV_CODES } from '../../../domain/payments/verification.ts'
import { describeParameter } from '../../../http/payment/parameter-names.ts'
import type { Parameter } from '../../../http/payment/parameters.ts'
import { idOf } from '../../shell/ids.ts'
import { implement, notFound, type PortalRoute } from '../../shell/portal-route.ts'
import { bankCodeMeaning, explainRefusal } from '../../words/decline-reasons.ts'
import { findRefusal } from '../../words/known-refusal.ts'
import { AUTHENTICATION_STATES, TRANS_STATUS_WORDS } from '../../words/three-ds-words.ts'
import type { WhyFacts, WhyRequest, WhyTransaction } from '../domain/why-facts.ts'
import { explainAnswer } from '../domain/why-steps.ts'
import type { KeptRequest, RequestLogReader } from '../usecases/request-views.ts'
import type {
  ReadTestValues,
  WhyAnswer,
  WhyReader,
  WhyTransactionRow,
} from '../usecases/why-rows.ts'

export interface DeveloperWhyDeps {
  readonly requests: RequestLogReader
  readonly why: WhyReader
  readonly testValues: ReadTestValues
  /** Whether payments of test accounts have the bundled bank to go to. */
  readonly hasBundledBank: boolean
}

const NO_BANK = {
  reason: 'This gateway runs without the bundled bank (BANK=off), so nothing was sent to any bank.',
  advice:
    'Ask the operator to set BANK=on or BANK=shared, or to add a test account with an acquirer.',
} as const

/** Why an answer was what it was: of a transaction, and of a request that never became one. */
export function developerWhy(deps: DeveloperWhyDeps): readonly PortalRoute[] {
  return [
    implement(log.whyTransaction, {
      handle: async ({ portalUser: { merchantId }, params }) => {
        const row = await deps.why.findTransaction(merchantId, idOf(params.id, 'transaction'))
        if (row === null) throw notFound('transaction')
        const request = await deps.requests.find(merchantId, row.requestId)
        return explain(deps, merchantId, request, row)
      },
    }),
    implement(log.why, {
      handle: async ({ portalUser: { merchantId }, params }) => {
        const request = await deps.requests.find(merchantId, idOf(params.id, 'request'))
        if (request === null) throw notFound('request')
        const row =
          request.transactionId === null
            ? null
            : await deps.why.findTransaction(merchantId, request.transactionId)
        return explain(deps, merchantId, request, row)
      },
    }),
  ]
}

async function explain(
  { why, testValues, hasBundledBank }: DeveloperWhyDeps,
  merchantId: bigint,
  request: KeptRequest | null,
  row: WhyTransactionRow | null,
): Promise<WhyAnswer> {
  const siteId = row?.siteId ?? request?.siteId ?? null
  const since = request?.receivedAt ?? row?.createdAt ?? null
  const mayBeTestValue = row !== null && row.isTestBank && row.responseCode !== '00'
  const [site, threeDs, cardTesting, followed, changes, tables] = await Promise.all([
    siteId === null ? null : why.findSite(merchantId, siteId),
    row === null ? null : why.findThreeDs(merchantId, row.id),
    row === null
      ? null
      : why.findCardTesting(merchantId, row.siteId, row.id, since ?? row.createdAt),
    row === null ? [] : why.followed(merchantId, row.id),
    siteId === null || since === null ? [] : why.changesSince(merchantId, siteId, since),
    mayBeTestValue ? testValues() : null,
  ])
  const masked = String(request?.parameters['PMT_NUMB'] ?? '')
  const currency = row === null ? null : currencyByCode(row.currency)
  const testValue: TestValueFound | null =
    tables === null || row === null || currency === null
      ? null
      : findTestValue(tables, {
          amountMinor: row.amountMinor,
          currency,
          maskedNumber: masked,
          last4: row.last4,
        })
  const facts: WhyFacts = {
    request: request === null ? null : requestFacts(request),
    transaction: row === null ? null : transactionFacts(row, masked, request, hasBundledBank),
    site,
    threeDs:
      threeDs === null
        ? null
        : {
            ...threeDs,
            stateMeaning: AUTHENTICATION_STATES[threeDs.state] ?? threeDs.state,
            statusMeaning:
              TRANS_STATUS_WORDS[threeDs.status as keyof typeof TRANS_STATUS_WORDS] ?? '',
          },
    cardTesting,
    testValue,
  }
  return {
    request:
      request === null
        ? null
        : {
            id: request.id,
            receivedAt: request.receivedAt,
            action: request.action,
            outcome: request.outcome,
          },
    transaction:
      row === null
        ? null
        : {
            id: row.id,
            orderId: row.orderId,
            kind: row.kind,
            state: row.state,
            serviceCode: row.serviceCode,
            amountMinor: row.amountMinor,
            currency: row.currency,
            createdAt: row.createdAt,
          },
    site: site === null ? null : { id: site.id, mode: site.mode },
    steps: explainAnswer(facts),
    followed: followed.map((event) => ({ ...event, currency: row?.currency ?? '' })),
    changes,
  }
}

function requestFacts(request: KeptRequest): WhyRequest {
  const refusal = findRefusal(request)
  const parameter = request.refField === '' ? null : describeParameter(request.refField)
  const warnings = request.parameters['WARNINGS']
  return {
    action: request.action,
    parameters: request.parameters,
    username: request.username,
    refField: request.refField,
    expected: parameter === null ? null : expectedOf(parameter),
    refusal:
      refusal === null
        ? null
        : {
            name: refusal.name,
            text: refusal.text,
            meaning: refusal.meaning,
            code: `${refusal.tier} ${refusal.code}`,
          },
    warnings: Array.isArray(warnings) ? warnings.map(String) : [],
  }
}

/** The form of a parameter in words: `an amount, 1 to 20 characters`. */
function expectedOf({ kind, min, max, values }: Parameter): string {
  if (values !== null) return `one of ${values.join(', ')}`
  return `${KINDS[kind] ?? kind}, ${min === max ? `${max}` : `${min} to ${max}`} characters`
}

const KINDS: Readonly<Record<string, string>> = {
  amount: 'an amount such as 12.50',
  card_number: 'a card number',
  expiry: 'an expiry as MMYYYY',
  digits: 'digits',
  letters: 'letters',
  count: 'a whole number from 1 to 99',
  date: 'a date',
  text: 'text',
  printable: 'text of printable ASCII characters',
  unbroken: 'text without spaces',
  address: 'an IP address',
}

/** Whether a payment for the bundled bank failed before it was sent. */
function wasNotSent({ isTestBank, state, serviceCode }: WhyTransactionRow): boolean {
  return isTestBank && state === 'failed' && serviceCode === 530
}

function transactionFacts(
  row: WhyTransactionRow,
  masked: string,
  request: KeptRequest | null,
  hasBundledBank: boolean,
): WhyTransaction {
  const currency = currencyByCode(row.currency)
  const amount = (minor: bigint): string =>
    currency === null ? String(minor) : formatMinor(minor, currency)
  const lacksBank = !hasBundledBank && wasNotSent(row)
  const { reason, advice } = lacksBank ? NO_BANK : explainRefusal(row, row.createdAt)
  return {
    kind: row.kind,
    state: row.state,
    isUnreferencedCredit: row.kind === 'refund' && row.orderKind === 'unreferenced_credit',
    amount: amount(row.amountMinor),
    value: amount(row.valueMinor),
    currency: row.currency,
    serviceCode: row.serviceCode,
    serviceText: serviceAdvice(row.serviceCode),
    responseCode: row.responseCode,
    bankSays: bankCodeMeaning(row.responseCode) ?? '',
    reason,
    advice,
    avsCode: row.avsCode,
    avsMeaning: AVS_CODES[row.avsCode] ?? '',
    cvvCode: row.cvvCode,
    cvvMeaning: CVV_CODES[row.cvvCode] ?? '',
    processorName: row.processorName,
    withoutCode:
      request === null ||
      (request.parameters['PMT_KEY'] === undefined &&
        (request.parameters['CUST_ID'] !== undefined ||
          request.parameters['REQUEST_INITATOR'] === 'M')),
    card: `${row.brand} ${masked.includes('*') ? masked : `... ${row.last4}`}`.trim(),
    orderReference: row.reference,
  }
}
