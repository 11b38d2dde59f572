import type { Currency } from '../../domain/currency.ts'
import { findCurrency } from '../../domain/currency.ts'
import { readCheckMode } from '../../domain/payments/verification.ts'
import type { Site } from '../../usecases/merchants/merchant-directory.ts'
import type { PaymentCommand } from '../../usecases/payments/payment-command.ts'
import {
  contradictorySelector,
  missingCardPart,
  needsSecurityCode,
  readCard,
} from './card-request.ts'
import { readAddress, readCustomer, readExtras } from './customer-request.ts'
import { contradictoryInitiation, missingRebillPart, readInitiation } from './initiation-request.ts'
import { missingLineAmount, readAmount, readLines } from './line-request.ts'
import { findFormFault } from './parameter-checks.ts'
import { parameterWithCardNumber, withoutPastedNumbers } from './pasted-numbers.ts'
import { missingProductPart, readDefinition } from './product-request.ts'
import type { ActionRequest, Reading, RefusedReading } from './reading.ts'
import { missing, readId, refused } from './reading.ts'
import { findThreeDsPart, missingThreeDsPart, NO_PART, readThreeDs } from './three-ds-request.ts'

export type PaymentOperation = 'authorize' | 'sale' | 'forced_credit'

type Params = ReadonlyMap<string, string>

/** Amounts of an unknown currency are read as most currencies write theirs. */
const TWO_DECIMALS: Currency = { code: '', numeric: '', digits: 2 }

/**
 * Reads CCAUTHORIZE, CCAUTHCAP and a CCCREDIT without an order. The order of the checks is that of
 * docs/integrators/interface.md: what is missing, then the form of each value, then what values say
 * together.
 */
export function readPaymentRequest(
  request: ActionRequest,
  operation: PaymentOperation,
): Reading<PaymentCommand> {
  const { site } = request
  const threeDsPart = operation === 'forced_credit' ? NO_PART : findThreeDsPart(request.params)
  const sent = threeDsPart.params ?? request.params
  const absent =
    missingParameter(sent, site, operation) ?? missingThreeDsPart(threeDsPart.kind, sent)
  if (absent !== null) return absent
  const fault = findFormFault(sent, operation)
  if (fault !== null) return refused(fault.name, fault.field)
  const pasted = parameterWithCardNumber(sent)
  if (pasted !== null) return refused('value_invalid', pasted)
  const params = withoutPastedNumbers(sent)

  const currency = findCurrency(params.get('REQUEST_CURRENCY') ?? site.defaultCurrency)
  const lines = readLines(params, currency ?? TWO_DECIMALS)
  if (lines.kind === 'refused') return lines
  const minimum = readMinimum(params, currency ?? TWO_DECIMALS, lines.command.totalMinor)
  if (minimum !== null && typeof minimum !== 'bigint') return minimum
  const contradiction = contradictorySelector(params)
  if (contradiction !== null) return contradiction
  const odd = operation === 'forced_credit' ? null : contradictoryInitiation(params)
  if (odd !== null) return odd
  const definition =
    operation === 'forced_credit'
      ? null
      : readDefinition(params, lines.command.lines, currency ?? TWO_DECIMALS)
  if (definition?.kind === 'refused') return definition
  const threeDs = readThreeDs(threeDsPart.kind, params, request)
  if (threeDs?.kind === 'refused') return threeDs

  const command: PaymentCommand = {
    kind: operation === 'forced_credit' ? 'credit' : operation,
    requestId: request.requestId,
    userId: request.userId,
    site,
    merchantAccountId: readId(params, 'MERCH_ACCT_ID'),
    currency,
    lines: lines.command.lines,
    totalMinor: lines.command.totalMinor,
    definition: definition?.command ?? null,
    card: readCard(params, needsSecurityCode(params, operation, site.cvvRequired)),
    customer: readCustomer(params),
    billing: readAddress(params, 'BILL'),
    shipping: readAddress(params, 'SHIP'),
    orderReference: params.get('XTL_ORDER_ID') ?? '',
    threeDs,
    ...(operation === 'forced_credit' ? NOT_A_PURCHASE : readPurchase(params, minimum)),
    processorUdf1: params.get('PROC_UDF01') ?? '',
    processorUdf2: params.get('PROC_UDF02') ?? '',
    extras: readExtras(params, operation),
  }
  return { kind: 'command', command }
}

function missingParameter(
  params: Params,
  site: Site,
  operation: PaymentOperation,
): RefusedReading | null {
  if (operation === 'forced_credit' && params.has('REQUEST_REF_PO_ID')) {
    // One of the two is a mistake, and the two move different money.
    return refused('value_invalid', 'REQUEST_REF_PO_ID')
  }
  const card = missingCardPart(params, operation)
  if (card !== null) return card
  // The code of a token may have come with it: that is seen when it is looked up.
  const hasCode = params.has('PMT_KEY') || params.has('TOKEN_GUID')
  if (!hasCode && needsSecurityCode(params, operation, site.cvvRequired)) return missing('PMT_KEY')
  const line = missingLineAmount(params)
  if (line !== null || operation === 'forced_credit') return line
  const unique = params.get('UNIQUE_XTL_ORDER_ID')
  if ((unique === '1' || unique === '2') && !params.has('XTL_ORDER_ID')) {
    return missing('XTL_ORDER_ID')
  }
  return missingRebillPart(params) ?? missingProductPart(params)
}

function readMinimum(
  params: Params,
  currency: Currency,
  totalMinor: bigint,
): bigint | RefusedReading | null {
  const minimum = readAmount(params, 'PARTIAL_AUTH_MIN', currency)
  if (typeof minimum !== 'bigint' || minimum <= totalMinor) return minimum
  return refused('value_invalid', 'PARTIAL_AUTH_MIN')
}

type Purchase = Pick<
  PaymentCommand,
  | 'duplicates'
  | 'avsMode'
  | 'cvvMode'
  | 'avsMatchSet'
  | 'cvvMatchSet'
  | 'partial'
  | 'initiation'
  | 'maxWaitS'
>

/** A credit has no order to be the same as, nothing to check and nobody to wait for. */
const NOT_A_PURCHASE: Purchase = {
  duplicates: 'allow',
  avsMode: null,
  cvvMode: null,
  avsMatchSet: null,
  cvvMatchSet: null,
  partial: { allowed: false, minimumMinor: null },
  initiation: {
    initiator: null,
    recurring: 'none',
    instalment: false,
    rebillType: null,
    membershipReference: '',
    originalNetworkTransactionId: '',
  },
  maxWaitS: null,
}

const DUPLICATES: ReadonlyMap<string, PaymentCommand['duplicates']> = new Map([
  ['1', 'refuse'],
  ['2', 'replay'],
])

function readPurchase(params: Params, minimumMinor: bigint | null): Purchase {
  const wait = params.get('REQUEST_MAX_WAIT')
  return {
    duplicates: DUPLICATES.get(params.get('UNIQUE_XTL_ORDER_ID') ?? '') ?? 'allow',
    avsMode: readCheckMode(params.get('CHKAVS') ?? ''),
    cvvMode: readCheckMode(params.get('CHKCVV') ?? ''),
    avsMatchSet: params.get('AVSMATCHSET')?.toUpperCase() ?? null,
    cvvMatchSet: params.get('CVVMATCHSET')?.toUpperCase() ?? null,
    partial: { allowed: params.get('PARTIAL_AUTH') === '1', minimumMinor },
    initiation: readInitiation(params),
    maxWaitS: wait === undefined ? null : Number(wait),
  }
}
