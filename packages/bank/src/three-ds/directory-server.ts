import { randomUUID } from 'node:crypto'
import type { Agent } from 'node:https'
import { findRange, rangeElements } from './card-ranges.ts'
import { commonNameOf } from './certificates.ts'
import type { Certificates } from './certificates.ts'
import type { Version } from './field-rule.ts'
import { VERSIONS } from './field-rule.ts'
import { isFaultHabit } from './habits.ts'
import type { HttpsReply, HttpsRequest } from './https-listener.ts'
import { asJson, readAnswer } from './json-answer.ts'
import type { MessageJournal } from './message-journal.ts'
import { clientAgent, postJson } from './post-json.ts'
import { ProtocolError, erroMessage } from './protocol-error.ts'
import type { Message } from './protocol-error.ts'
import { checkMessage, parseMessage } from './read-message.ts'
import { relayResult } from './result-relay.ts'
import type { Scenarios } from './scenarios.ts'
import type { Schedule } from './schedule.ts'
import type { Transaction, Transactions } from './transactions.ts'

/** It belongs to no scheme: a system with live cards must refuse this number. */
export const DS_REFERENCE_NUMBER = 'SIM_DS_0001'

const ACS_READ_MS = 8_000
/** Less than the idle time of a listener, so that no message meets a connection that closes. */
const ACS_IDLE_MS = 4_000
const SLOW_MS = 8_000
const PREQ_INTERVAL_MS = 3_600_000

export interface DirectoryServerParts {
  readonly certificates: Certificates
  readonly schedule: Schedule
  readonly journal: MessageJournal
  readonly transactions: Transactions
  readonly scenarios: Scenarios
  /** The addresses of the parts, once the listeners are open. */
  readonly urls: { readonly ds: string; readonly acsBack: string; readonly method: string }
}

interface Exchange {
  readonly message: Message
  readonly json: string
}

/** The Directory Server: checks messages of the 3DS Server and the ACS, and forwards them. */
export class DirectoryServer {
  readonly #parts: DirectoryServerParts
  /** The time of each 3DS Server's last request for the ranges. */
  readonly #askedAt = new Map<string, number>()

  /** A handshake with two certificates costs more than all else about an AReq. */
  readonly #toAcs: Agent

  constructor(parts: DirectoryServerParts) {
    this.#parts = parts
    const { certificates } = parts
    this.#toAcs = clientAgent(certificates['ds-client'], certificates.ca, ACS_IDLE_MS)
  }

  forgetPReqs(): void {
    this.#askedAt.clear()
  }

  /** Closes the connections that were kept for the next request. */
  close(): void {
    this.#toAcs.destroy()
  }

  /** Answers a POST to `/ds`. Protocol errors are an Erro under HTTP 200. */
  async answer({ body, client, contentType, method, path }: HttpsRequest): Promise<HttpsReply> {
    if (path !== '/ds') return plain(404, 'There is only POST /ds here.\n')
    if (method !== 'POST') return { ...plain(405, 'POST only.\n'), headers: { Allow: 'POST' } }
    const { journal } = this.#parts
    let message: Message = {}
    const isAcs = client === commonNameOf('acs-client')
    const leg = isAcs ? 'ds-acs' : 'server-ds'
    try {
      if (!/^application\/json(;|$)/i.test(contentType)) {
        throw new ProtocolError('101', 'The Content-Type must be application/json.')
      }
      message = parseMessage(body)
      journal.add(leg, 'in', message)
      const reply = await this.#route({ message, json: body }, client)
      if (typeof reply === 'string') {
        journal.add(leg, 'out', null, reply)
        return reply
      }
      if (isHttpAnswer(reply)) {
        journal.add(leg, 'out', null, `HTTP ${reply.status}`)
        return reply
      }
      journal.add(leg, 'out', reply)
      return asJson(reply)
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
      if (Object.keys(message).length === 0) journal.add(leg, 'in', null, 'no message')
      const erro = erroMessage(error, 'D', message, versionOf(message))
      journal.add(leg, 'out', erro)
      return asJson(erro)
    }
  }

  async #route(exchange: Exchange, client: string | null): Promise<Message | HttpsReply> {
    const type = exchange.message['messageType']
    const only = (name: string) => {
      if (client !== name) {
        throw new ProtocolError('303', 'The certificate is not that of a sender of this message.')
      }
    }
    switch (type) {
      case 'AReq':
        only(commonNameOf('gateway-client'))
        return await this.#authenticate(exchange)
      case 'PReq':
        only(commonNameOf('gateway-client'))
        return this.#ranges(exchange)
      case 'RReq':
        only(commonNameOf('acs-client'))
        return await relayResult(this.#parts, exchange.message, exchange.json)
      case 'Erro':
        return plain(200, '')
      default:
        throw new ProtocolError('101', 'The messageType is not AReq, PReq, RReq or Erro.')
    }
  }

  #ranges({ json, message }: Exchange): Message {
    const { schedule, urls } = this.#parts
    const version = checkMessage(message, json, { type: 'PReq', leg: 'to_ds' })
    const requester = `${String(message['threeDSServerRefNumber'])} ${String(message['threeDSServerOperatorID'])}`
    const before = this.#askedAt.get(requester)
    if (before !== undefined && schedule.now() - before < schedule.scaled(PREQ_INTERVAL_MS)) {
      throw new ProtocolError('103', 'A PReq may come once in an hour.')
    }
    const serialNum = message['serialNum'] as string | undefined
    const elements = rangeElements(serialNum, version, urls.method)
    // The list without a serial number corrects this, so a request for it may come at once.
    if (elements === null) throw new ProtocolError('307', 'serialNum')
    this.#askedAt.set(requester, schedule.now())
    return {
      messageType: 'PRes',
      messageVersion: version,
      threeDSServerTransID: message['threeDSServerTransID'],
      dsTransID: randomUUID(),
      ...elements,
    }
  }

  async #authenticate({ json, message }: Exchange): Promise<Message | HttpsReply> {
    const { schedule, transactions } = this.#parts
    const version = checkMessage(message, json, { type: 'AReq', leg: 'to_ds' })
    if (transactions.byServer(String(message['threeDSServerTransID'])) !== undefined) {
      throw new ProtocolError('301', 'threeDSServerTransID')
    }
    const pan = String(message['acctNumber'])
    const range = findRange(pan)
    if (range === null) throw new ProtocolError('305', 'acctNumber')
    const at = (spoken: Version) => VERSIONS.indexOf(spoken)
    if (at(version) < at(range.from) || at(version) > at(range.to)) {
      const spoken = VERSIONS.slice(at(range.from), at(range.to) + 1)
      throw new ProtocolError('102', spoken.join(','))
    }
    const transaction = this.#begin(message, version, pan)
    transactions.add(transaction)
    switch (transaction.habit) {
      case 'outside_ranges':
        throw new ProtocolError('305', 'acctNumber')
      case 'lookup_error':
        throw new ProtocolError('403', 'The simulated Directory Server has a fault.')
      case 'lookup_silent':
        return 'silent'
      case 'ds_erro_203':
        throw new ProtocolError('203', 'browserLanguage')
      case 'ds_http_500':
        return { ...plain(500, '<!doctype html><title>500</title>'), headers: HTML }
      case 'ds_reset':
        return 'reset'
      case 'ds_slow': {
        const answer = await this.#askAcs(message, transaction)
        await new Promise<void>((resolve) => void schedule.after(SLOW_MS, resolve))
        return answer
      }
      default:
        return await this.#askAcs(message, transaction)
    }
  }

  #begin(areq: Message, version: Version, pan: string): Transaction {
    const text = (name: string, fallback = '') => String(areq[name] ?? fallback)
    const phone = (areq['mobilePhone'] ?? areq['homePhone'] ?? {}) as Message
    return {
      threeDSServerTransID: text('threeDSServerTransID'),
      dsTransID: randomUUID(),
      acsTransID: randomUUID(),
      version,
      habit: this.#parts.scenarios.nextHabit(pan),
      pan,
      amount: BigInt(text('purchaseAmount', '0')),
      currency: text('purchaseCurrency'),
      category: text('messageCategory'),
      threeDSServerURL: text('threeDSServerURL'),
      notificationURL: text('notificationURL'),
      merchantName: text('merchantName', text('threeDSRequestorName')),
      purchaseDate: text('purchaseDate'),
      phone: String(phone['subscriber'] ?? ''),
      transStatus: null,
      challenge: null,
      resultsStatus: null,
    }
  }

  async #askAcs(areq: Message, transaction: Transaction): Promise<Message> {
    const { journal, schedule, urls } = this.#parts
    const forwarded = {
      ...areq,
      dsReferenceNumber: DS_REFERENCE_NUMBER,
      dsTransID: transaction.dsTransID,
      dsURL: urls.ds,
    }
    journal.add('ds-acs', 'out', forwarded)
    const result = await postJson({
      url: urls.acsBack,
      json: JSON.stringify(forwarded),
      timeoutMs: schedule.networkMs(ACS_READ_MS),
      agent: this.#toAcs,
    })
    const { habit, version } = transaction
    const answer = readAnswer(result, 'ARes', 'to_ds', isFaultHabit(habit) ? null : version)
    journal.add('ds-acs', 'in', answer)
    return answer
  }
}

/** A body that is not a message of the protocol. */
type HttpAnswer = Exclude<HttpsReply, string>

function isHttpAnswer(reply: Message | HttpAnswer): reply is HttpAnswer {
  return !('messageType' in reply)
}

const HTML = { 'Content-Type': 'text/html; charset=utf-8' }

function plain(status: number, body: string) {
  return { status, headers: {}, body }
}

function versionOf(message: Message): Version {
  return VERSIONS.find((version) => version === message['messageVersion']) ?? '2.2.0'
}
