import { serviceAdvice } from '../../../domain/payments/service-codes.ts'
import { AVS_CODES, CVV_CODES } from '../../../domain/payments/verification.ts'
import type { TransStatus } from '../../../domain/three-ds/trans-status.ts'
import {
  AUTHENTICATION_STATES,
  MESSAGE_WORDS,
  TRANS_STATUS_WORDS,
} from '../../words/three-ds-words.ts'
import { bankCode } from './bank-code.ts'
import type { AdviceRow, OrderRows, TimelineEvent, TransactionRow } from './order-page.ts'

type Facts = TimelineEvent['facts'][number][]

/** Everything that happened to an order, oldest first. */
export function timelineOf(rows: OrderRows): TimelineEvent[] {
  const events = [
    ...rows.transactions.map((row) => moneyEvent(row, rows)),
    ...rows.advices.map((row) => adviceEvent(row, rows)),
    ...lateAnswers(rows),
    ...authentication(rows),
    ...memberships(rows),
    ...rows.operations.map(operationEvent),
    ...rows.notes.map((note) => ({
      ...BLANK,
      id: `note ${note.id}`,
      at: note.at,
      kind: 'note' as const,
      title: 'Note',
      who: { kind: 'portal_user' as const, name: note.name },
      text: note.text,
    })),
    ...rows.inquiries.map((inquiry) => ({
      ...BLANK,
      id: `inquiry ${inquiry.requestId}`,
      at: inquiry.at,
      kind: 'inquiry' as const,
      title: inquiry.isLookUp
        ? 'Order looked up by an API request'
        : 'Order data added by an API request',
      who: { kind: 'api_user' as const, name: inquiry.username },
      requestId: inquiry.requestId,
      facts: [['From', inquiry.address]] as const,
    })),
  ]
  return events.toSorted((left, right) => left.at.getTime() - right.at.getTime())
}

const BLANK = {
  state: null,
  amountMinor: null,
  who: null,
  requestId: null,
  transactionId: null,
  facts: [],
  text: null,
} as const

const TITLES: Readonly<Record<TransactionRow['kind'], string>> = {
  authorization: 'Authorization',
  sale: 'Sale',
  capture: 'Capture',
  refund: 'Refund',
  void: 'Void',
  capture_void: 'Capture void',
}

function moneyEvent(row: TransactionRow, { lines, order }: OrderRows): TimelineEvent {
  const facts: Facts = []
  const line = lines.find(({ id }) => id === row.lineId)
  if (line !== undefined) facts.push(['Line', `${line.number}: ${line.product}`])
  if (row.state === 'approved' && (row.kind === 'authorization' || row.kind === 'sale')) {
    if (row.valueMinor < row.amountMinor)
      facts.push(['Requested', 'more than approved (partial approval)'])
    if (order.authCode !== '') facts.push(['Authorization code', order.authCode])
  }
  if (row.state === 'declined' || row.state === 'failed') {
    facts.push(['Reason', `${row.serviceCode} ${serviceAdvice(row.serviceCode)}`])
    const processor = bankCode(row.processorCode, row.processorAdvice)
    if (processor !== null) facts.push(['Processor', `${processor.code}: ${processor.words}`])
    const industry = bankCode(row.industryCode, row.industryAdvice)
    if (industry !== null) facts.push(['Issuer', `${industry.code}: ${industry.words}`])
  }
  if (row.kind === 'authorization' || row.kind === 'sale') {
    if (row.avsCode !== '')
      facts.push(['AVS result', `${row.avsCode}: ${AVS_CODES[row.avsCode] ?? ''}`])
    if (row.cvvCode !== '')
      facts.push(['CVV result', `${row.cvvCode}: ${CVV_CODES[row.cvvCode] ?? ''}`])
  }
  // An authorization was only made while that batch was open: it moves no money.
  const movesMoney =
    row.state === 'approved' &&
    (row.kind === 'sale' || row.kind === 'capture' || row.kind === 'refund')
  if (row.batchId !== null && movesMoney)
    facts.push(['Batch', `${row.batchId}${row.batchClosed ? ', closed' : ', open'}`])
  return {
    id: `transaction ${row.id}`,
    at: row.createdAt,
    kind: 'money',
    title: row.amountMinor === 0n && row.kind === 'authorization' ? 'Card check' : TITLES[row.kind],
    state: row.state,
    amountMinor: row.state === 'approved' ? row.valueMinor : row.amountMinor,
    who: row.who,
    requestId: row.requestId,
    transactionId: row.id,
    facts,
    text: null,
  }
}

const REASONS: Readonly<Record<string, string>> = {
  VD: 'voided',
  TO: 'unknown outcome of the payment',
  AV: 'AVS result not accepted by the site',
  CV: 'CVV result not accepted by the site',
  PA: 'partial approval not accepted',
  EX: 'authorization expired',
}

const ADVICES: Readonly<Record<AdviceRow['kind'], string>> = {
  capture: 'Capture sent to bank',
  refund: 'Refund sent to bank',
  reversal: 'Reversal of the authorization sent to bank',
  capture_reversal: 'Reversal of the capture sent to bank',
}

function adviceEvent(row: AdviceRow, { transactions }: OrderRows): TimelineEvent {
  const facts: Facts = []
  if (row.reason !== null) facts.push(['Reason', REASONS[row.reason] ?? row.reason])
  facts.push(['Attempts', String(row.tries)])
  if (row.acknowledgedAt !== null) {
    facts.push(['Acknowledged', row.acknowledgedAt.toISOString()])
    if (row.responseCode !== null) facts.push(['Bank response', answerInWords(row.responseCode)])
  } else if (row.tries > 0) facts.push(['Next attempt', row.nextTryAt.toISOString()])
  return {
    ...BLANK,
    id: `advice ${row.id}`,
    // Messages are dated by whole seconds, and this one by what it follows from.
    at: laterOf(row.createdAt, transactions.find(({ id }) => id === row.transactionId)?.createdAt),
    kind: 'bank',
    title: ADVICES[row.kind],
    state: row.state,
    amountMinor: row.amountMinor,
    who: { kind: 'gateway', name: 'Gateway' },
    transactionId: row.transactionId === 0n ? null : row.transactionId,
    facts,
  }
}

function laterOf(at: Date, other: Date | undefined): Date {
  return other !== undefined && other > at ? other : at
}

function answerInWords(code: string): string {
  if (code === '00') return '00: done'
  if (code === '21') return '21: nothing to reverse'
  if (code === '25') return '25: payment unknown at the bank, so nothing is held'
  return `${code}: ${bankCode(code, '')?.words ?? ''}`
}

function lateAnswers({ lateAnswers: rows }: OrderRows): TimelineEvent[] {
  return rows.map((row, at) => ({
    ...BLANK,
    id: `late ${at}`,
    at: row.at,
    kind: 'bank',
    title: 'Late bank response, ignored',
    facts: [
      ['Response', answerInWords(row.responseCode)],
      ['Message', row.mti],
    ],
  }))
}

function authentication({ authentication: row, messages }: OrderRows): TimelineEvent[] {
  if (row === null) return []
  const facts: Facts = [['State', AUTHENTICATION_STATES[row.state] ?? row.state]]
  if (row.status !== '')
    facts.push([
      'Authentication result',
      `${row.status}: ${TRANS_STATUS_WORDS[row.status as TransStatus] ?? ''}`,
    ])
  if (row.reason !== '') facts.push(['Reason', row.reason])
  if (row.cause !== '') facts.push(['Cause of missing answer', row.cause])
  if (row.challengeCancel !== '') facts.push(['Challenge cancelled', row.challengeCancel])
  if (row.version !== '') facts.push(['Version', row.version])
  if (row.cardholderInfo !== '') facts.push(['Message for the cardholder', row.cardholderInfo])
  return [
    {
      ...BLANK,
      id: 'authentication',
      at: row.createdAt,
      kind: 'three_ds',
      title: '3-D Secure',
      state: row.decidedAt === null ? 'pending' : row.state,
      facts,
    },
    ...messages.map((message) => ({
      ...BLANK,
      id: `message ${message.id}`,
      at: message.at,
      kind: 'three_ds' as const,
      title: `${message.type} ${message.direction === 'out' ? 'sent' : 'received'}`,
      facts: [['Message', MESSAGE_WORDS[message.type] ?? message.type]] as const,
    })),
  ]
}

function memberships({ memberships: rows }: OrderRows): TimelineEvent[] {
  return rows.map((row) => ({
    ...BLANK,
    id: `membership ${row.id}`,
    at: row.at,
    kind: 'membership',
    title: row.began ? `Membership ${row.id} started` : `Membership ${row.id} was charged`,
    facts: [
      ['Product', row.product],
      ['State', row.state.replaceAll('_', ' ')],
    ],
  }))
}

const OPERATIONS: Readonly<Record<string, string>> = {
  capture: 'Capture',
  void: 'Void',
  capture_void: 'Capture void',
  refund: 'Refund',
  charge: 'Card charge',
  authorization: 'Authorization',
  sale: 'Sale',
}

function operationEvent(row: OrderRows['operations'][number]): TimelineEvent {
  const what = OPERATIONS[row.operation] ?? row.operation
  return {
    ...BLANK,
    id: `operation ${row.id}`,
    at: row.at,
    kind: 'portal_user',
    title: row.state === 'begun' ? `${what} in progress` : `${what} refused`,
    state: row.state === 'begun' ? 'running' : 'refused',
    who: { kind: 'portal_user', name: row.name },
    requestId: row.requestId,
    facts: row.sentence === '' ? [] : [['Reason', row.sentence]],
  }
}
