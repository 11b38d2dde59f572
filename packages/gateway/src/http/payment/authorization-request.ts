import type { Currency } from '../../domain/currency.ts'
import { findCurrency } from '../../domain/currency.ts'
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
import { parameterWithCardNumber } from './pasted-numbers.ts'
import { missingProductPart, readDefinition } from './product-request.ts'
import type { ActionRequest, Reading, RefusedReading } from './reading.ts'
import { missing, refused } from './reading.ts'
import { readRepeatable } from './repeatable-request.ts'
import { isSent, readRequest, type SentRequest } from './sent-request.ts'
import {
  countedName,
  countedReading,
  findThreeDsPart,
  missingThreeDsPart,
  NO_PART,
  readThreeDs,
} from './three-ds-request.ts'

export type PaymentOperation = 'authorization' | 'sale' | 'unreferenced_credit'

/** Amounts of an unknown currency are read as most currencies write theirs. */
const TWO_DECIMALS: Currency = { code: '', numeric: '', digits: 2 }

/**
 * Reads CCAUTHORIZE, CCAUTHCAP and an unreferenced credit. The order of the checks is that of
 * docs/integrators/interface.md: what is missing, then the form of each value, then what values say
 * together.
 */
export function readPaymentRequest(
  request: ActionRequest,
  operation: PaymentOperation,
): Reading<PaymentCommand> {
  const { site } = request
  const reading = readRequest(request.params, operation)
  const threeDsPart = operation === 'unreferenced_credit' ? NO_PART : findThreeDsPart(reading.sent)
  const { sent, faults } = countedReading(reading, threeDsPart)
  const codeNeeded = needsSecurityCode(sent, operation, site.cvvRequired)
  const absent =
    missingParameter(sent, codeNeeded, operation) ?? missingThreeDsPart(threeDsPart.kind, sent)
  if (absent !== null) return absent
  const [fault] = faults
  if (fault !== undefined) return refused(fault.name, fault.field)
  const pasted = parameterWithCardNumber(request.params, (name) => countedName(threeDsPart, name))
  if (pasted !== null) return refused('value_invalid', pasted)

  const currency = findCurrency(sent.REQUEST_CURRENCY ?? site.defaultCurrency)
  const lines = readLines(sent, currency ?? TWO_DECIMALS)
  if (lines.kind === 'refused') return lines
  const { totalMinor } = lines.command
  const minimumMinor = readMinimum(sent, currency ?? TWO_DECIMALS, totalMinor)
  if (minimumMinor !== null && typeof minimumMinor !== 'bigint') return minimumMinor
  const initiation = readInitiation(sent)
  const contradiction = contradictorySelector(sent) ?? contradictoryInitiation(sent, initiation)
  if (contradiction !== null) return contradiction
  const definition = readDefinition(sent, lines.command.lines, currency ?? TWO_DECIMALS)
  if (definition?.kind === 'refused') return definition
  const threeDs = readThreeDs(threeDsPart, sent, site)
  if (threeDs?.kind === 'refused') return threeDs

  // An unreferenced credit repeats no order and checks nothing: only purchases have those parts.
  const command: PaymentCommand = {
    kind: operation === 'unreferenced_credit' ? 'refund' : operation,
    requestId: request.requestId,
    userId: request.userId,
    site,
    merchantAccountId: sent.MERCH_ACCT_ID ?? null,
    currency,
    ...lines.command,
    definition: definition?.command ?? null,
    card: readCard(sent, codeNeeded),
    customer: readCustomer(sent),
    billing: readAddress(sent, 'BILL'),
    shipping: readAddress(sent, 'SHIP'),
    orderReference: sent.XTL_ORDER_ID ?? '',
    threeDs,
    duplicates: sent.UNIQUE_XTL_ORDER_ID ?? 'allow',
    avsMode: sent.CHKAVS ?? null,
    cvvMode: sent.CHKCVV ?? null,
    avsMatchSet: sent.AVSMATCHSET ?? null,
    cvvMatchSet: sent.CVVMATCHSET ?? null,
    partial: { allowed: sent.PARTIAL_AUTH ?? false, minimumMinor },
    initiation,
    maxWaitS: sent.REQUEST_MAX_WAIT ?? null,
    processorUdf1: sent.PROC_UDF01 ?? '',
    processorUdf2: sent.PROC_UDF02 ?? '',
    descriptor: readDescriptor(sent),
    repeatable: readRepeatable(request.params, operation),
    bankTest: request.bankTest,
    extras: readExtras(sent),
  }
  return { kind: 'command', command }
}

function readDescriptor(sent: SentRequest): PaymentCommand['descriptor'] {
  return {
    name: sent.PMT_DESCRIPTOR ?? '',
    city: sent.PMT_DESCRIPTOR_CITY ?? '',
    phone: sent.PMT_DESCRIPTOR_PHONE ?? '',
  }
}

function missingParameter(
  sent: SentRequest,
  codeNeeded: boolean,
  operation: PaymentOperation,
): RefusedReading | null {
  if (operation === 'unreferenced_credit' && isSent(sent, 'REQUEST_REF_PO_ID')) {
    // A refund and an unreferenced credit move different money, and this asks for both.
    return refused('value_invalid', 'REQUEST_REF_PO_ID')
  }
  const card = missingCardPart(sent, operation)
  if (card !== null) return card
  // A token may hold the code: the look-up of the token shows that.
  const hasCode = isSent(sent, 'PMT_KEY') || isSent(sent, 'TOKEN_GUID')
  if (codeNeeded && !hasCode) return missing('PMT_KEY')
  const line = missingLineAmount(sent)
  if (line !== null) return line
  const { UNIQUE_XTL_ORDER_ID: duplicates = 'allow' } = sent
  if (duplicates !== 'allow' && !isSent(sent, 'XTL_ORDER_ID')) return missing('XTL_ORDER_ID')
  return missingRebillPart(sent) ?? missingProductPart(sent)
}

function readMinimum(
  sent: SentRequest,
  currency: Currency,
  totalMinor: bigint,
): bigint | RefusedReading | null {
  const minimum = readAmount(sent.PARTIAL_AUTH_MIN, 'PARTIAL_AUTH_MIN', currency)
  if (typeof minimum !== 'bigint' || minimum <= totalMinor) return minimum
  return refused('value_invalid', 'PARTIAL_AUTH_MIN')
}
