import { randomUUID } from 'node:crypto'
import { eciOf } from './cards.ts'
import { commonNameOf } from './certificates.ts'
import { authenticationValueOf, technicalReason } from './challenge-result.ts'
import type { ChallengeStore } from './challenge-store.ts'
import { VERSIONS } from './field-rule.ts'
import { isChallenge } from './habits.ts'
import type { HttpsReply, HttpsRequest } from './https-listener.ts'
import { asJson } from './json-answer.ts'
import { ProtocolError, erroMessage } from './protocol-error.ts'
import type { Message } from './protocol-error.ts'
import { checkMessage, parseMessage } from './read-message.ts'
import type { Transaction, Transactions } from './transactions.ts'

/** It belongs to no scheme: a system with live cards must refuse this number. */
export const ACS_REFERENCE_NUMBER = 'SIM_ACS_0001'

export interface AccessControlParts {
  readonly transactions: Transactions
  readonly cavvKey: Buffer
  readonly challenges: ChallengeStore
  /** Address of the challenge page. */
  readonly acsUrl: () => string
}

/** The side of the ACS for the Directory Server: decides by the card. */
export class AccessControl {
  readonly #parts: AccessControlParts

  constructor(parts: AccessControlParts) {
    this.#parts = parts
  }

  answer({ body, client, method, path }: HttpsRequest): HttpsReply {
    if (path !== '/acs/areq' || method !== 'POST') {
      return { status: 404, headers: {}, body: 'There is only POST /acs/areq here.\n' }
    }
    let message: Message = {}
    try {
      message = parseMessage(body)
      if (client !== commonNameOf('ds-client')) {
        throw new ProtocolError('303', 'Only the Directory Server may ask.')
      }
      const version = checkMessage(message, body, { type: 'AReq', leg: 'to_acs' })
      const transaction = this.#parts.transactions.byDs(String(message['dsTransID']))
      if (transaction === undefined || transaction.version !== version) {
        throw new ProtocolError('301', 'dsTransID')
      }
      return asJson(this.#decide(transaction, message))
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      const version = VERSIONS.find((known) => known === message['messageVersion']) ?? '2.2.0'
      return asJson(erroMessage(error, 'A', message, version))
    }
  }

  #decide(transaction: Transaction, areq: Message): Message {
    const { threeDSServerTransID, dsTransID, acsTransID, version } = transaction
    const head = {
      messageType: 'ARes',
      messageVersion: version,
      threeDSServerTransID,
      dsTransID,
      acsTransID,
      dsReferenceNumber: areq['dsReferenceNumber'],
      acsReferenceNumber: ACS_REFERENCE_NUMBER,
    }
    const ares: Message = { ...head, ...this.#answerOf(transaction, areq) }
    transaction.transStatus = String(ares['transStatus'])
    if (transaction.transStatus === 'C' && 'acsURL' in ares)
      this.#parts.challenges.expect(transaction)
    return ares
  }

  #answerOf(transaction: Transaction, areq: Message): Message {
    const { habit, pan, version } = transaction
    const compInd = areq['threeDSCompInd']
    const success = this.#authenticated(transaction, 'Y')
    const failed = { transStatus: 'N', transStatusReason: '01' }
    const unavailable = { transStatus: 'U', transStatusReason: technicalReason(transaction) }
    const wantsData = areq['threeDSRequestorChallengeInd'] === '06'
    if (isChallenge(habit)) return wantsData ? unavailable : this.#challenge()
    switch (habit) {
      case 'failed':
        return failed
      case 'informed':
        return { ...success, cardholderInfo: CARDHOLDER_INFO.success }
      case 'informed_failure':
        return { ...failed, cardholderInfo: CARDHOLDER_INFO.failure }
      case 'attempt':
        return this.#authenticated(transaction, 'A')
      case 'unavailable':
        return unavailable
      case 'rejected':
        return { transStatus: 'R', transStatusReason: '11' }
      case 'data_only':
        return wantsData ? informational(pan) : unavailable
      case 'no_method':
        return compInd === 'U' ? success : failed
      case 'method_silent':
      case 'method_wrong_id':
        return compInd === 'N' ? success : failed
      case 'ares_decoupled':
        return {
          transStatus: 'D',
          acsChallengeMandated: 'Y',
          authenticationType: '04',
          acsDecConInd: 'Y',
        }
      case 'ares_informational':
        return informational(pan)
      case 'ares_without_value':
        return { transStatus: 'Y', eci: eciOf(pan, 'Y') }
      case 'ares_foreign_id':
        return { ...success, threeDSServerTransID: randomUUID() }
      case 'ares_other_version':
        return { ...success, messageVersion: version === '2.1.0' ? '2.2.0' : '2.1.0' }
      case 'ares_without_url': {
        const { acsURL: _left, ...rest } = this.#challenge()
        return rest
      }
      case 'ares_wrong_eci':
        return { ...success, eci: eciOf(pan, 'Y') === '02' ? '05' : '02' }
      default:
        return success
    }
  }

  #authenticated(transaction: Transaction, status: 'Y' | 'A'): Message {
    const eci = eciOf(transaction.pan, status)
    const value = authenticationValueOf(this.#parts.cavvKey, transaction, eci)
    return { transStatus: status, eci, authenticationValue: value }
  }

  #challenge(): Message {
    return {
      transStatus: 'C',
      acsURL: this.#parts.acsUrl(),
      acsChallengeMandated: 'Y',
      authenticationType: '02',
    }
  }
}

/** Texts of the issuer, which the shop has to show to the cardholder. */
const CARDHOLDER_INFO = {
  success: 'Your bank has confirmed this payment without a code. Questions: 555-0100.',
  failure: 'Your bank has blocked this payment. Please call 555-0100.',
} as const

function informational(pan: string): Message {
  return { transStatus: 'I', eci: eciOf(pan, 'Y') === '02' ? '04' : '07' }
}
