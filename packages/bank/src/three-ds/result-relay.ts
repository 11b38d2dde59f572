import type { Certificates } from './certificates.ts'
import { isFaultHabit } from './habits.ts'
import { readAnswer } from './json-answer.ts'
import type { MessageJournal } from './message-journal.ts'
import { clientAgent, postJson } from './post-json.ts'
import { ProtocolError } from './protocol-error.ts'
import type { Message } from './protocol-error.ts'
import { checkMessage } from './read-message.ts'
import type { Schedule } from './schedule.ts'
import type { Transaction, Transactions } from './transactions.ts'

const RESULTS_READ_MS = 5_000

export interface ResultRelayParts {
  readonly certificates: Certificates
  readonly schedule: Schedule
  readonly journal: MessageJournal
  readonly transactions: Transactions
}

/**
 * Forwards an RReq to the 3DS Server whose AReq it belongs to, and returns its answer. Throws
 * ProtocolError for a result that belongs to no AReq, and where no server answers it.
 */
export async function relayResult(
  parts: ResultRelayParts,
  message: Message,
  json: string,
): Promise<Message> {
  const { transactions } = parts
  const transaction = transactions.byDs(String(message['dsTransID']))
  if (transaction === undefined) throw new ProtocolError('301', 'dsTransID')
  // Fault cards send results that no ACS may send, and the DS forwards them on purpose.
  if (!isFaultHabit(transaction.habit)) {
    checkMessage(message, json, { type: 'RReq', leg: 'to_ds', version: transaction.version })
    for (const name of ['threeDSServerTransID', 'acsTransID'] as const) {
      if (message[name] !== transaction[name]) throw new ProtocolError('301', name)
    }
  }
  const { authenticationMethod: _ours, ...stripped } = message
  const answer = await deliverResult(parts, stripped, transaction)
  if (answer['messageType'] === 'RRes') {
    transaction.resultsStatus = String(answer['resultsStatus'])
  }
  return answer
}

async function deliverResult(
  { certificates, journal, schedule }: ResultRelayParts,
  rreq: Message,
  transaction: Transaction,
): Promise<Message> {
  const agent = clientAgent(certificates['ds-client'], certificates.ca, null)
  const send = () => {
    journal.add('server-ds', 'out', rreq)
    return postJson({
      url: transaction.threeDSServerURL,
      json: JSON.stringify(rreq),
      timeoutMs: schedule.networkMs(RESULTS_READ_MS),
      agent,
    })
  }
  let result = await send()
  if (result.kind === 'no_connection') result = await send()
  if (result.kind !== 'answer') journal.add('server-ds', 'in', null, result.kind)
  const answer = readAnswer(result, 'RRes', 'to_ds', transaction.version)
  journal.add('server-ds', 'in', answer)
  if (answer['messageType'] === 'RRes') {
    for (const name of ['threeDSServerTransID', 'dsTransID', 'acsTransID'] as const) {
      if (answer[name] !== rreq[name]) throw new ProtocolError('301', name)
    }
  }
  return answer
}
