import { createHmac, timingSafeEqual } from 'node:crypto'
import { decodeBase64Url, encodeBase64Url } from './base64url.ts'
import {
  CHALLENGE_PATH,
  challengePage,
  deadPage,
  faultPage,
  forwardPage,
} from './challenge-pages.ts'
import { page } from './challenge-pages.ts'
import type { ChallengeStore, Screen } from './challenge-store.ts'
import { readForm } from './form-fields.ts'
import type { HttpsReply, HttpsRequest } from './https-listener.ts'
import type { MessageJournal } from './message-journal.ts'
import { ProtocolError, erroMessage, isUuid } from './protocol-error.ts'
import type { Message } from './protocol-error.ts'
import { checkMessage, parseMessage } from './read-message.ts'
import type { Scenarios } from './scenarios.ts'
import type { Transaction, Transactions } from './transactions.ts'

const METHOD_PATH = '/acs/method'
const CREQ_PATH = '/acs/creq'
const MAX_SESSION_DATA = 1024
const MAX_NOTIFICATION_URL = 256

export interface BrowserSideParts {
  readonly transactions: Transactions
  readonly scenarios: Scenarios
  readonly journal: MessageJournal
  /** Of the forms' MACs. */
  readonly pageKey: Buffer
  readonly challenges: () => ChallengeStore
}

/** The page that returns the browser to the 3DS Server, with a CRes or an Erro. */
export function releasePage(
  journal: MessageJournal,
  transaction: Transaction,
  message: Message | ProtocolError,
): HttpsReply {
  const { acsTransID, challenge, dsTransID, threeDSServerTransID, version } = transaction
  const ids = { threeDSServerTransID, dsTransID, acsTransID, messageType: 'CReq' }
  const carried =
    message instanceof ProtocolError ? erroMessage(message, 'A', ids, version) : message
  journal.add('browser-acs', 'out', carried)
  const sessionData = challenge?.sessionData ?? null
  return forwardPage(transaction.notificationURL, {
    cres: encodeBase64Url(carried),
    ...(sessionData === null ? {} : { threeDSSessionData: sessionData }),
  })
}

/** The side of the ACS for browsers: 3DS Method, CReq and the challenge page. */
export class BrowserSide {
  readonly #parts: BrowserSideParts

  constructor(parts: BrowserSideParts) {
    this.#parts = parts
  }

  async answer({ body, contentType, method, path }: HttpsRequest): Promise<HttpsReply> {
    if (method === 'GET' && (path === '/' || path === '/acs')) return greeting()
    if (![METHOD_PATH, CREQ_PATH, CHALLENGE_PATH].includes(path)) {
      return faultPage(404, 'There is no such page here.')
    }
    if (method !== 'POST') return faultPage(405, 'This page is opened by a form of a shop.')
    const form = readForm(contentType, body)
    if (form === null) return faultPage(400, 'This is not a form, or it has a field twice.')
    if (path === METHOD_PATH) return this.#method(form.get('threeDSMethodData') ?? '')
    if (path === CREQ_PATH) return await this.#creq(form)
    return await this.#challenge(form)
  }

  #method(data: string): HttpsReply {
    const { journal, scenarios } = this.#parts
    const asked = readMethodData(data)
    if (asked === null) {
      return faultPage(400, 'threeDSMethodData is not what a 3DS Server sends.')
    }
    journal.add('browser-acs', 'in', { ...asked }, '3DS Method')
    const fault = scenarios.nextMethodFault()
    if (fault === 'method_silent') return page({ title: 'Nothing', content: '<p>Nothing</p>' })
    const { threeDSMethodNotificationURL, threeDSServerTransID } = asked
    const transactionId =
      fault === 'method_wrong_id'
        ? threeDSServerTransID.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))
        : threeDSServerTransID
    journal.add('browser-acs', 'out', { threeDSServerTransID: transactionId }, '3DS Method')
    return forwardPage(threeDSMethodNotificationURL, {
      threeDSMethodData: encodeBase64Url({ threeDSServerTransID: transactionId }),
    })
  }

  async #creq(form: ReadonlyMap<string, string>): Promise<HttpsReply> {
    const { challenges, journal, transactions } = this.#parts
    const json = decodeBase64Url(form.get('creq') ?? '')
    const message = json === null ? null : readObject(json)
    journal.add('browser-acs', 'in', message, message === null ? 'no CReq' : undefined)
    if (json === null || message === null)
      return faultPage(400, 'creq is not what a CReq looks like.')
    const transaction = transactions.byAcs(String(message['acsTransID']))
    if (transaction === undefined || transaction.challenge === null) {
      return faultPage(400, 'Erro 301: the simulated bank knows no such transaction.')
    }
    const { challenge } = transaction
    if (transaction.habit === 'page_503' && challenge.state === 'waiting') {
      journal.add('browser-acs', 'out', null, 'HTTP 503')
      return faultPage(503, 'The simulated bank is not there.')
    }
    const sessionData = form.get('threeDSSessionData') || null
    try {
      checkMessage(message, json, { type: 'CReq', leg: 'to_acs', version: transaction.version })
      if (message['threeDSServerTransID'] !== transaction.threeDSServerTransID) {
        throw new ProtocolError('301', 'threeDSServerTransID')
      }
      if (sessionData !== null && !/^[!-~]{1,1024}$/.test(sessionData)) {
        throw new ProtocolError('203', `threeDSSessionData (1 to ${MAX_SESSION_DATA} characters)`)
      }
      const windowSize = String(message['challengeWindowSize'])
      return await this.#show(transaction, challenges().begin(transaction, windowSize, sessionData))
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      return await challenges().spoil(transaction, error)
    }
  }

  async #challenge(form: ReadonlyMap<string, string>): Promise<HttpsReply> {
    const { challenges, journal, transactions } = this.#parts
    const acsTransID = form.get('acsTransID') ?? ''
    const transaction = transactions.byAcs(acsTransID)
    const challenge = transaction?.challenge ?? null
    const isOurs = sameText(form.get('mac') ?? '', this.#mac(acsTransID))
    if (transaction === undefined || challenge === null || !isOurs) {
      return faultPage(400, 'Erro 301: the simulated bank knows no such transaction.')
    }
    if (challenge.state === 'waiting') return faultPage(400, 'The challenge has not started.')
    const button = form.get('do') ?? 'submit'
    journal.add(
      'browser-acs',
      'in',
      { acsTransID },
      `form: ${/^\w{1,10}$/.test(button) ? button : '?'}`,
    )
    const next = () => {
      if (button === 'cancel') return challenges().cancel(transaction, challenge)
      if (button === 'resend') return challenges().resend(transaction, challenge)
      return challenges().enter(transaction, challenge, form.get('challengeDataEntry') ?? '')
    }
    return await this.#show(transaction, next())
  }

  async #show(transaction: Transaction, screen: Screen): Promise<HttpsReply> {
    if (screen.kind === 'ended') return await screen.reply
    if (transaction.habit === 'page_dead') return deadPage(transaction)
    return challengePage(transaction, screen.notice, this.#mac(transaction.acsTransID))
  }

  #mac(acsTransID: string): string {
    return createHmac('sha256', this.#parts.pageKey).update(acsTransID).digest('base64url')
  }
}

/** A page to open once, so that a user can make the browser trust the certificate. */
function greeting(): HttpsReply {
  return page({
    title: 'Simulated bank',
    content: '<h1>This is the simulated bank</h1><p>It confirms payments of test cards.</p>',
  })
}

function readObject(json: string): Message | null {
  try {
    return parseMessage(json)
  } catch (error) {
    if (error instanceof ProtocolError) return null
    throw error
  }
}

interface MethodData {
  readonly threeDSServerTransID: string
  readonly threeDSMethodNotificationURL: string
}

function readMethodData(data: string): MethodData | null {
  const json = decodeBase64Url(data)
  const message = json === null ? null : readObject(json)
  if (message === null) return null
  const { threeDSMethodNotificationURL: url, threeDSServerTransID: id } = message
  const isAddress =
    typeof url === 'string' &&
    url.length <= MAX_NOTIFICATION_URL &&
    /^https?:\/\/[^/@]+(\/|$)/.test(url) &&
    URL.canParse(url)
  return isUuid(id) && isAddress
    ? { threeDSServerTransID: id, threeDSMethodNotificationURL: url }
    : null
}

function sameText(given: string, own: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(own)]
  return left.length === right.length && timingSafeEqual(left, right)
}
