import { decidedBy, stepsOf } from './why-decided.ts'
import {
  WHY_STEPS,
  type WhyFacts,
  type WhyKey,
  type WhyRequest,
  type WhyStep,
  type WhyVerdict,
} from './why-facts.ts'

type Inputs = WhyStep['inputs']

/** What a step looked at and said. */
interface Looked {
  readonly inputs?: Inputs
  /** Said when it passed. */
  readonly passed: string
  /** Set where the step has nothing to look at. */
  readonly notAsked?: string
  /** Said when it decided. */
  readonly decided: string
  readonly approve: string | null
}

/**
 * Every rule in the sequence in which it was looked at, and which one made the answer. Rules behind
 * that one were not reached. Settings are those of now: `facts` do not know those of then.
 */
export function explainAnswer(facts: WhyFacts): readonly WhyStep[] {
  const decider = decidedBy(facts)
  let isOver = false
  return stepsOf(facts).map((key): WhyStep => {
    const looked = lookAt(key, facts)
    const verdict: WhyVerdict =
      key === decider
        ? 'decided'
        : isOver
          ? 'not_reached'
          : looked.notAsked === undefined
            ? 'passed'
            : 'not_asked'
    if (key === decider) isOver = true
    const says = {
      decided: looked.decided,
      passed: looked.passed,
      not_asked: looked.notAsked ?? '',
      not_reached: 'It was not reached.',
    }[verdict]
    return {
      key,
      title: WHY_STEPS[key],
      verdict,
      inputs:
        verdict === 'not_reached' || verdict === 'not_asked'
          ? []
          : (looked.inputs ?? []).filter(([, value]) => value !== ''),
      says,
      approve: verdict === 'decided' ? looked.approve : null,
    }
  })
}

function lookAt(key: WhyKey, facts: WhyFacts): Looked {
  const { request, transaction, site, threeDs, cardTesting } = facts
  const refused = refusalOf(request)
  switch (key) {
    case 'form':
      return { passed: 'The body was a form, with each parameter once.', ...refused }
    case 'login':
      return {
        inputs: [
          ['User', request?.username ?? ''],
          ['SITE_ID', text(request, 'SITE_ID')],
        ],
        passed: 'User, password and site belong together, and the user sends no more than it may.',
        ...refused,
      }
    case 'action':
      return {
        inputs: pick(request, ['REQUEST_ACTION', 'REQUEST_API_VERSION']),
        passed: 'Both are known.',
        ...refused,
      }
    case 'parameters':
      return {
        inputs: fieldOf(request),
        passed: 'Nothing is missing, and every value has its form.',
        ...refused,
      }
    case 'references':
      return {
        inputs: [
          ...fieldOf(request),
          ...pick(request, ['CUST_ID', 'PMT_ID', 'MERCH_ACCT_ID', 'REQUEST_CURRENCY']),
        ],
        passed: 'Customer, card, product, currency and merchant account were found.',
        ...refused,
      }
    case 'order_state':
      return {
        inputs: pick(request, ['REQUEST_REF_PO_ID', 'REQUEST_REF_PO_LI_ID', 'LI_VALUE_1']),
        passed: 'The order has enough left for it.',
        ...refused,
      }
    case 'duplicate': {
      const reference = text(request, 'XTL_ORDER_ID') || (transaction?.orderReference ?? '')
      return {
        inputs: [
          ['XTL_ORDER_ID', reference],
          ['UNIQUE_XTL_ORDER_ID', text(request, 'UNIQUE_XTL_ORDER_ID')],
        ],
        passed: 'No approved order had this reference.',
        ...(reference === ''
          ? { notAsked: 'The request has no XTL_ORDER_ID, so it can not be known again.' }
          : {}),
        ...refused,
        approve:
          'Give each purchase an XTL_ORDER_ID of its own, or look up the order that has this one with CCSTATUS.',
      }
    }
    case 'subscription': {
      const type = text(request, 'TRANS_REBILL_TYPE')
      const isRenewal = request === null
      return {
        inputs: pick(request, ['TRANS_REBILL_TYPE', 'MBSHP_ID_XTL', 'REQUEST_REF_MBSHP_ID']),
        passed: isRenewal
          ? 'The gateway charges the membership by itself.'
          : 'Nothing that was paid before is against it.',
        ...(isRenewal ||
        (type !== '' && type !== 'NONE') ||
        text(request, 'REQUEST_REF_MBSHP_ID') !== ''
          ? {}
          : { notAsked: 'The payment says nothing of a membership.' }),
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
        passed: 'The check digit is right, and the card has not expired.',
        decided: transaction?.reason ?? '',
        approve: CARD_APPROVALS[transaction?.serviceCode ?? 0] ?? null,
      }
    case 'browser_data': {
      const asks = text(request, 'REQUEST_ENROLLMENT') === '1'
      const missing =
        (request?.warnings ?? []).find((warning) => warning.startsWith('3-D Secure')) ?? ''
      return {
        inputs: [
          ['REQUEST_ENROLLMENT', text(request, 'REQUEST_ENROLLMENT')],
          ['The site insists on 3-D Secure', yesOrNo(site?.threeDsRequired)],
        ],
        passed:
          missing === ''
            ? 'All that 3-D Secure needs of the browser came along.'
            : `${missing} The payment went on without it.`,
        ...(asks ? {} : { notAsked: 'The payment does not ask for 3-D Secure.' }),
        decided: `${missing === '' ? 'What 3-D Secure needs of the browser is missing.' : missing} The site insists on it, so the payment was declined.`,
        approve:
          'Send what is missing: DDC_REFERENCEID, P3DS_RETURN_URL, the browser and the address of the customer. Or let the site go on without 3-D Secure.',
      }
    }
    case 'card_testing': {
      const isOff = site === null || site.cardTestingMode === 'off'
      return {
        inputs: [
          ['Rules of the site', site?.cardTestingMode ?? ''],
          ['Rule', cardTesting?.rule ?? ''],
        ],
        passed:
          cardTesting === null
            ? 'No rule was full.'
            : `The rule ${cardTesting.rule} was full. The site only watches, so the payment went on.`,
        ...(isOff && cardTesting === null
          ? { notAsked: 'The site has no rules against card testing.' }
          : {}),
        decided: `The rule ${cardTesting?.rule ?? 'of the site'} had let through as many as it may in its window. No bank was asked.`,
        approve:
          "Wait until the rule's window is over, or raise its limit if this was no attack. Another card, address or amount helps where the rule counts that.",
      }
    }
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
                ['Where nobody can authenticate', site?.threeDsUnavailable ?? ''],
              ],
        passed:
          threeDs?.statusMeaning === undefined || threeDs.statusMeaning === ''
            ? 'The payment went on.'
            : `${threeDs.statusMeaning}. The payment went on.`,
        ...(threeDs === null
          ? { notAsked: 'No issuer was asked to authenticate the cardholder.' }
          : {}),
        decided: issuerDecided(facts),
        approve: isWaiting(facts)
          ? 'Send the customer to P3DS_ACS_URL, and then make the final call.'
          : 'The cardholder has to be authenticated: try again and have the challenge answered, or pay with another card.',
      }
    case 'bank':
      return lookAtBank(facts)
    case 'partial':
      return {
        inputs: [
          ...pick(request, ['PARTIAL_AUTH', 'PARTIAL_AUTH_MIN']),
          ['Asked for', `${transaction?.amount ?? ''} ${transaction?.currency ?? ''}`.trim()],
        ],
        passed:
          transaction !== null && transaction.amount !== transaction.value
            ? `Less was approved (${transaction.value}), and that was welcome.`
            : 'All of the amount was approved.',
        decided:
          'The bank approved less than was asked for, and that was not welcome. What it holds was given back.',
        approve:
          'Ask for a smaller amount, or send PARTIAL_AUTH=1, with a PARTIAL_AUTH_MIN that is low enough.',
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
          'Send the address that the bank of the card has, accept this letter with AVSMATCHSET, or report it only with CHKAVS=I.',
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
          'Send the right PMT_KEY, accept this letter with CVVMATCHSET, or report it only with CHKCVV=I.',
      })
    case 'result':
      return lookAtResult(facts)
  }
}

const CARD_APPROVALS: Readonly<Record<number, string>> = {
  675: 'A card number whose check digit is right.',
  624: 'An expiry that is not in the past.',
  565: 'An amount above zero. Only CCAUTHORIZE may be for zero: it checks the card.',
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
      'Answer of the bank (DE 39)',
      responseCode === '' ? 'none' : `${responseCode}${bankSays === '' ? '' : `: ${bankSays}`}`,
    ],
    ['SERVICE', `${serviceCode} ${serviceText}`.trim()],
    ['Test value', testValue?.says ?? ''],
  ]
  const waits = state === 'running' || state === 'pending'
  return {
    inputs,
    passed: 'The bank approved.',
    decided: waits
      ? 'The bank has been asked, and its answer is waited for.'
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
  T: 'T: approve on an accepted letter only',
  C: 'C: approve on an accepted letter, or if the other check matches',
  F: 'F: no check',
  I: 'I: report, and do nothing',
}

function lookAtCheck(
  { transaction }: WhyFacts,
  { mode, set, code, meaning, names, what, approve }: Check,
): Looked {
  const wanted = mode.toUpperCase()
  const letter = code === '' ? 'none' : `${code}: ${meaning}`
  const isEnforced = wanted === 'T' || wanted === 'C'
  const isRefund = transaction?.kind === 'refund'
  return {
    inputs: [
      [names[0], MODES[wanted] ?? wanted],
      [names[1], isEnforced ? set : ''],
      [names[2], letter],
    ],
    passed: 'The letter is accepted.',
    ...(isEnforced && !isRefund
      ? {}
      : {
          notAsked: isRefund
            ? 'Nothing is checked for a refund.'
            : `${MODES[wanted] ?? 'The site does not insist on it'}. The answer was ${letter}.`,
        }),
    decided: `The bank approved, but its answer about the ${what} (${letter}) is not among the accepted letters ${set}. What it holds was given back.`,
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
    decided: refusal === null ? 'The request was answered.' : refusal.meaning,
    approve: null,
  }
}

function issuerDecided(facts: WhyFacts): string {
  const { threeDs, transaction } = facts
  if (isWaiting(facts))
    return 'The bank of the card wants the customer to confirm the payment, which is waited for.'
  const said = threeDs === null || threeDs.statusMeaning === '' ? '' : `${threeDs.statusMeaning}. `
  return `${said}${transaction?.reason ?? ''} The bank was not asked for the money.`
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
        ? `${refusal.text}: put right what this says, and send it again.`
        : `Send ${refField} ${expected === null ? 'with a value that is acceptable here' : `as ${expected}`}.`,
  }
}

function fieldOf(request: WhyRequest | null): Inputs {
  if (request === null || request.refField === '') return []
  const found = request.parameters[request.refField]
  return [
    [request.refField, typeof found === 'string' ? found : 'not sent'],
    ['Expected', request.expected ?? ''],
  ]
}

function text(request: WhyRequest | null, name: string): string {
  const value = request?.parameters[name]
  return typeof value === 'string' ? value : ''
}

function pick(request: WhyRequest | null, names: readonly string[]): Inputs {
  return names.map((name) => [name, text(request, name)])
}

function yesOrNo(value: boolean | undefined): string {
  if (value === undefined) return ''
  return value ? 'yes' : 'no'
}
