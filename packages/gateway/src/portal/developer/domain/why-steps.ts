import { decidedBy, stepsOf } from './why-decided.ts'
import {
  WHY_STEPS,
  type WhyFacts,
  type WhyKey,
  type WhyRequest,
  type WhyStep,
  type WhyVerdict,
} from './why-facts.ts'
import { fieldOf, pick, text, yesOrNo, type Inputs } from './why-inputs.ts'
import { lookAtLimits, lookAtVelocity, type Looked } from './why-screening.ts'

/**
 * Every rule in the sequence in which it was looked at, and which one made the answer. Rules behind
 * that one were not reached. Settings are those of now: `facts` do not know those of then.
 */
export function explainAnswer(facts: WhyFacts): readonly WhyStep[] {
  const decider = decidedBy(facts)
  let isOver = false
  return stepsOf(facts).map((key): WhyStep => {
    const looked = key === 'operation' ? lookAtOperation(facts) : lookAt(key, facts)
    const verdict: WhyVerdict =
      key === decider
        ? 'decided'
        : isOver
          ? 'not_reached'
          : looked.skipped === undefined
            ? 'passed'
            : 'skipped'
    if (key === decider) isOver = true
    const says = {
      decided: looked.decided,
      passed: looked.passed,
      skipped: looked.skipped ?? '',
      not_reached: 'Not reached.',
    }[verdict]
    return {
      key,
      title: WHY_STEPS[key],
      verdict,
      inputs:
        verdict === 'not_reached' || verdict === 'skipped'
          ? []
          : (looked.inputs ?? []).filter(([, value]) => value !== ''),
      says,
      approve: verdict === 'decided' ? looked.approve : null,
    }
  })
}

function lookAt(key: Exclude<WhyKey, 'operation'>, facts: WhyFacts): Looked {
  const { request, transaction, site, threeDs } = facts
  const refused = refusalOf(request)
  switch (key) {
    case 'form':
      return { passed: 'The request body is a form with each parameter once.', ...refused }
    case 'login':
      return {
        inputs: [
          ['User', request?.username ?? ''],
          ['SITE_ID', text(request, 'SITE_ID')],
        ],
        passed: 'User, password and site match, and the user is within its request limit.',
        ...refused,
      }
    case 'action':
      return {
        inputs: pick(request, ['REQUEST_ACTION', 'REQUEST_API_VERSION']),
        passed: 'Both are valid.',
        ...refused,
      }
    case 'parameters':
      return {
        inputs: fieldOf(request),
        passed: 'No parameter is missing, and every value has the right format.',
        ...refused,
      }
    case 'references':
      return {
        inputs: [
          ...fieldOf(request),
          ...pick(request, ['CUST_ID', 'PMT_ID', 'MERCH_ACCT_ID', 'REQUEST_CURRENCY']),
        ],
        passed: 'Customer, card, product, currency and merchant account exist.',
        ...refused,
      }
    case 'order_state':
      return {
        inputs: pick(request, ['REQUEST_REF_PO_ID', 'REQUEST_REF_PO_LI_ID', 'LI_VALUE_1']),
        passed: 'The order has enough left.',
        ...refused,
      }
    case 'duplicate': {
      const reference = text(request, 'XTL_ORDER_ID') || (transaction?.orderReference ?? '')
      return {
        inputs: [
          ['XTL_ORDER_ID', reference],
          ['UNIQUE_XTL_ORDER_ID', text(request, 'UNIQUE_XTL_ORDER_ID')],
        ],
        passed: 'No approved order has this reference.',
        ...(reference === ''
          ? { skipped: 'The request has no XTL_ORDER_ID, so duplicates cannot be detected.' }
          : {}),
        ...refused,
        approve:
          'Use a new XTL_ORDER_ID for each purchase. To find the existing order, send CCSTATUS.',
      }
    }
    case 'subscription': {
      const type = text(request, 'TRANS_REBILL_TYPE')
      const isRenewal = request === null
      return {
        inputs: pick(request, ['TRANS_REBILL_TYPE', 'MBSHP_ID_XTL', 'REQUEST_REF_MBSHP_ID']),
        passed: isRenewal
          ? 'The gateway charges the membership automatically.'
          : 'No earlier payment prevents it.',
        ...(isRenewal ||
        (type !== '' && type !== 'NONE') ||
        text(request, 'REQUEST_REF_MBSHP_ID') !== ''
          ? {}
          : { skipped: 'The payment has no membership.' }),
        ...(transaction === null
          ? refused
          : { decided: transaction.reason, approve: transaction.advice }),
      }
    }
    case 'card':
      return {
        inputs: [
          ['Card', transaction?.card ?? text(request, 'PMT_NUMB')],
          ['PMT_EXPIRY', text(request, 'PMT_EXPIRY')],
          ['Amount', transaction?.amount ?? ''],
        ],
        passed: 'The check digit is valid, and the card has not expired.',
        decided: transaction?.reason ?? '',
        approve: CARD_APPROVALS[transaction?.serviceCode ?? 0] ?? null,
      }
    case 'browser_data': {
      const requestsThreeDs = text(request, 'REQUEST_ENROLLMENT') === '1'
      const missing =
        (request?.warnings ?? []).find((warning) => warning.startsWith('3-D Secure')) ?? ''
      return {
        inputs: [
          ['REQUEST_ENROLLMENT', text(request, 'REQUEST_ENROLLMENT')],
          ['Site requires 3-D Secure', yesOrNo(site?.threeDsRequired)],
        ],
        passed:
          missing === ''
            ? 'All browser data for 3-D Secure is present.'
            : `${missing} The payment continued without it.`,
        ...(requestsThreeDs ? {} : { skipped: 'The payment does not request 3-D Secure.' }),
        decided: `${missing === '' ? 'Browser data for 3-D Secure is missing.' : missing} The site requires it, so the payment was declined.`,
        approve:
          "Send the missing data: DDC_REFERENCEID, P3DS_RETURN_URL, the customer's browser and address. Or change the site to continue without 3-D Secure.",
      }
    }
    case 'card_testing':
      return lookAtVelocity(facts)
    case 'limits':
      return lookAtLimits(facts)
    case 'issuer':
      return {
        inputs:
          threeDs === null
            ? []
            : [
                ['State', threeDs.stateMeaning],
                [
                  'Status',
                  threeDs.status === '' ? '' : `${threeDs.status}: ${threeDs.statusMeaning}`,
                ],
                ['Reason', threeDs.reason],
                ['Cause', threeDs.cause],
                ['Version', threeDs.version],
                ['If authentication is not possible', site?.threeDsUnavailable ?? ''],
              ],
        passed:
          threeDs?.statusMeaning === undefined || threeDs.statusMeaning === ''
            ? 'The payment continued.'
            : `${threeDs.statusMeaning}. The payment continued.`,
        ...(threeDs === null
          ? { skipped: 'The cardholder was not authenticated with 3-D Secure.' }
          : {}),
        decided: issuerDecided(facts),
        approve: isWaiting(facts)
          ? 'Send the customer to P3DS_ACS_URL, then make the final call.'
          : 'The cardholder must authenticate. Try again with a completed challenge, or use another card.',
      }
    case 'bank':
      return lookAtBank(facts)
    case 'partial':
      return {
        inputs: [
          ...pick(request, ['PARTIAL_AUTH', 'PARTIAL_AUTH_MIN']),
          ['Requested', `${transaction?.amount ?? ''} ${transaction?.currency ?? ''}`.trim()],
        ],
        passed:
          transaction !== null && transaction.amount !== transaction.value
            ? `Partially approved (${transaction.value}), which the request allows.`
            : 'The full amount was approved.',
        decided: 'The bank approved less than the request allows. The approval was reversed.',
        approve: 'Request a smaller amount, or send PARTIAL_AUTH=1 with a lower PARTIAL_AUTH_MIN.',
      }
    case 'address':
      return lookAtCheck(facts, {
        mode: text(request, 'CHKAVS') || (site?.avsMode ?? ''),
        set: text(request, 'AVSMATCHSET') || (site?.avsMatchSet ?? ''),
        code: transaction?.avsCode ?? '',
        meaning: transaction?.avsMeaning ?? '',
        names: ['CHKAVS', 'AVSMATCHSET', 'AVS'],
        what: 'address',
        approve:
          'Send the address that the issuer has, accept this AVS result with AVSMATCHSET, or only report it with CHKAVS=I.',
      })
    case 'security_code':
      return lookAtCheck(facts, {
        mode:
          transaction?.withoutCode === true
            ? 'F'
            : text(request, 'CHKCVV') || (site?.cvvMode ?? ''),
        set: text(request, 'CVVMATCHSET') || (site?.cvvMatchSet ?? ''),
        code: transaction?.cvvCode ?? '',
        meaning: transaction?.cvvMeaning ?? '',
        names: ['CHKCVV', 'CVVMATCHSET', 'CVV'],
        what: 'security code',
        approve:
          'Send the right PMT_KEY, accept this CVV result with CVVMATCHSET, or only report it with CHKCVV=I.',
      })
    case 'result':
      return lookAtResult(facts)
  }
}

/** The portal refused the operation of its user with this sentence. */
function lookAtOperation({ request }: WhyFacts): Looked {
  return {
    inputs: [
      ['User', request?.username ?? ''],
      ...pick(request, ['REQUEST_REF_PO_ID', 'LI_VALUE_1', 'REQUEST_CURRENCY']),
    ],
    passed: 'The portal allows it.',
    decided: request?.refusal?.meaning ?? '',
    approve: null,
  }
}

const CARD_APPROVALS: Readonly<Record<number, string>> = {
  675: 'Use a card number with a valid check digit.',
  624: 'Use an expiry in the future.',
  565: 'Use an amount above zero. Only CCAUTHORIZE accepts zero, to check a card.',
}

function lookAtBank(facts: WhyFacts): Looked {
  const { transaction, testValue } = facts
  if (transaction === null) return { passed: '', decided: '', approve: null }
  const { responseCode, bankSays, serviceCode, serviceText, processorName, state } = transaction
  const inputs: Inputs = [
    ['Bank', processorName],
    ['Card', transaction.card],
    ['Amount', `${transaction.amount} ${transaction.currency}`],
    [
      'Bank response (DE 39)',
      responseCode === '' ? 'none' : `${responseCode}${bankSays === '' ? '' : `: ${bankSays}`}`,
    ],
    ['SERVICE', decidedBy(facts) === 'bank' ? `${serviceCode} ${serviceText}`.trim() : ''],
    ['Test value', testValue?.says ?? ''],
  ]
  const waits = state === 'running' || state === 'pending'
  return {
    inputs,
    passed: 'The bank approved.',
    decided: waits
      ? 'The bank has not answered yet.'
      : responseCode === ''
        ? transaction.reason
        : `The bank answered ${responseCode}. ${transaction.reason}`,
    approve: waits ? null : (testValue?.approve ?? transaction.advice),
  }
}

interface Check {
  readonly mode: string
  readonly set: string
  readonly code: string
  readonly meaning: string
  readonly names: readonly [mode: string, set: string, code: string]
  readonly what: string
  readonly approve: string
}

const MODES: Readonly<Record<string, string>> = {
  T: 'T: approve only with an accepted result',
  C: 'C: approve with an accepted result, or if the other check matches',
  F: 'F: no check',
  I: 'I: report only',
}

function lookAtCheck(
  { transaction }: WhyFacts,
  { mode, set, code, meaning, names, what, approve }: Check,
): Looked {
  const wanted = mode.toUpperCase()
  const result = code === '' ? 'none' : `${code}: ${meaning}`
  const isEnforced = wanted === 'T' || wanted === 'C'
  const isRefund = transaction?.kind === 'refund'
  return {
    inputs: [
      [names[0], MODES[wanted] ?? wanted],
      [names[1], isEnforced ? set : ''],
      [names[2], result],
    ],
    passed: 'The result is accepted.',
    ...(isEnforced && !isRefund
      ? {}
      : {
          skipped: isRefund
            ? 'Refunds are not checked.'
            : `${MODES[wanted] ?? 'The site does not require it'}. The result was ${result}.`,
        }),
    decided: `The bank approved, but the ${what} result ${result} is not one of the accepted results ${set}. The approval was reversed.`,
    approve,
  }
}

function lookAtResult({ request, transaction }: WhyFacts): Looked {
  if (transaction !== null) {
    const { state, value, currency } = transaction
    return {
      inputs: [['Value', `${value} ${currency}`]],
      passed: '',
      decided: state === 'approved' ? `Approved for ${value} ${currency}.` : transaction.reason,
      approve: null,
    }
  }
  const { refusal = null } = request ?? {}
  return {
    passed: '',
    decided: refusal === null ? 'The request was processed.' : refusal.meaning,
    approve: null,
  }
}

function issuerDecided(facts: WhyFacts): string {
  const { threeDs, transaction } = facts
  if (isWaiting(facts))
    return 'The issuer asked the cardholder to confirm the payment. The confirmation is pending.'
  const said = threeDs === null || threeDs.statusMeaning === '' ? '' : `${threeDs.statusMeaning}. `
  return `${said}${transaction?.reason ?? ''} No authorization was requested from the bank.`
}

function isWaiting({ transaction }: WhyFacts): boolean {
  return transaction?.state === 'pending' || transaction?.state === 'running'
}

function refusalOf(request: WhyRequest | null): Pick<Looked, 'decided' | 'approve'> {
  const { refusal = null } = request ?? {}
  if (request === null || refusal === null) return { decided: '', approve: null }
  const { refField, expected } = request
  return {
    decided: `${refusal.code} ${refusal.text}. ${refusal.meaning}`,
    approve:
      refField === ''
        ? `${refusal.text}: correct this and send the request again.`
        : `Send ${refField} ${expected === null ? 'with a valid value' : `as ${expected}`}.`,
  }
}
