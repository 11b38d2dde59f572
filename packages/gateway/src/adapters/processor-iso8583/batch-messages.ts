import {
  decodeDetail,
  decodePrivateData,
  decodeTotals,
  encodePrivateData,
  encodeTotals,
  repeatMti,
  type IsoMessage,
} from '@tollgate/iso8583'
import type { DetailEntry } from '../../domain/books/batch-agreement.ts'
import type {
  DetailOutcome,
  DetailRequest,
  TotalsOutcome,
  TotalsRequest,
} from '../../usecases/books/batch-processor.ts'
import { messageNumber, stanAndTerminal, transmissionTime } from './message-identity.ts'

type Fields = Record<number, string>

const IN_BALANCE = '1'
const OUT_OF_BALANCE = '2'
const DONE = '00'
/** The bank closed its batch with other totals. */
const RECONCILE_ERROR = '95'

/** The 0500 of one currency of a batch, as docs/internals/bank-link.md has it. */
export function totalsMessage(request: TotalsRequest): IsoMessage {
  const { fields, byBrand } = encodeTotals(request.brands)
  const tags = { BN: request.batchId.toString(), ...(byBrand === null ? {} : { TB: byBrand }) }
  const message = {
    ...header(request),
    ...fields,
    15: transmissionTime(request.closedAt).slice(0, 4),
    48: encodePrivateData(tags),
  }
  return { mti: request.repeat ? repeatMti('0500') : '0500', fields: message }
}

/** The 0600 that asks for a page of a closed batch. */
export function detailMessage(request: DetailRequest): IsoMessage {
  const tags = { BN: request.batchId.toString(), FR: request.from.toString() }
  return { mti: '0600', fields: { ...header(request), 48: encodePrivateData(tags) } }
}

function header({
  message,
  account,
  currency,
}: Pick<TotalsRequest, 'message' | 'account' | 'currency'>): Fields {
  const { stan, terminal } = stanAndTerminal(message.number)
  return {
    7: transmissionTime(message.at),
    11: stan,
    32: account.acquirerId,
    41: terminal,
    42: account.acquirerMerchantId.padEnd(15),
    50: currency.numeric,
  }
}

/** Reads a 0510. An answer that contradicts itself is `unknown`: the 0500 is sent again. */
export function readTotalsAnswer({ fields }: IsoMessage): TotalsOutcome {
  const responseCode = fields[39] ?? ''
  if (responseCode !== DONE && responseCode !== RECONCILE_ERROR) {
    return { kind: 'refused', responseCode }
  }
  const inBalance = fields[66] === IN_BALANCE
  if (!inBalance && fields[66] !== OUT_OF_BALANCE) return UNREADABLE
  try {
    const tags: Record<string, string> = fields[48] === undefined ? {} : readTags(fields[48])
    const brands = decodeTotals({ fields, byBrand: tags['TB'] ?? null })
    return { kind: 'answered', inBalance, responseCode, brands }
  } catch {
    return UNREADABLE
  }
}

const UNREADABLE = { kind: 'unknown', reason: 'reply_unreadable' } as const

/** Reads a 0610. */
export function readDetailAnswer({ fields }: IsoMessage): DetailOutcome {
  const responseCode = fields[39] ?? ''
  if (responseCode !== DONE) return { kind: 'refused', responseCode }
  try {
    const total = Number(readTags(fields[48] ?? '')['NR'])
    if (!Number.isSafeInteger(total)) return UNREADABLE
    const rows = decodeDetail(fields).map(({ stan, terminal, ...row }, at): DetailEntry => ({
      // A negative one for a message that no gateway sent.
      messageNumber: messageNumber(stan, terminal) ?? -1n - BigInt(at),
      kind: row.kind,
      amountMinor: row.amountMinor,
      voidedMinor: row.voidedMinor,
    }))
    return { kind: 'answered', rows, total }
  } catch {
    return UNREADABLE
  }
}

function readTags(text: string): Record<string, string> {
  return decodePrivateData(text)
}
