import { Iso8583Error, decodePrivateData } from '@tollgate/iso8583'
import type { IsoMessage } from '@tollgate/iso8583'
import type { FaultStep } from '../test-data/fault-amounts.ts'

/** Null for a message without identity or money: the host itself answers it. */
export function stepOf({ fields, mti }: IsoMessage): FaultStep | null {
  if ([7, 11, 32, 41].some((field) => fields[field] === undefined)) return null
  switch (mti.slice(0, 3)) {
    case '010':
    case '020':
      return 'request'
    case '022':
      return fields[3] === '200000' ? 'refund' : 'capture'
    case '042':
      return 'reversal'
    case '050':
    case '060':
      return 'reconciliation'
    default:
      return null
  }
}

/** DE 4 in minor units; null where it is missing or unreadable. */
export function readAmount({ fields }: IsoMessage): bigint | null {
  const text = fields[4]
  return text !== undefined && /^\d+$/.test(text) ? BigInt(text) : null
}

/** Unreadable tags count as none here; the host itself answers such a message. */
export function readTags({ fields }: IsoMessage): Readonly<Record<string, string>> {
  try {
    return decodePrivateData(fields[48] ?? '')
  } catch (error) {
    if (error instanceof Iso8583Error) return {}
    throw error
  }
}

export function withField(message: IsoMessage, field: number, value: string): IsoMessage {
  return { mti: message.mti, fields: { ...message.fields, [field]: value } }
}

/** The 16 hexadecimal digits of the bitmap stand behind the 4 digits of the MTI. */
export function withoutBitmap(message: Buffer): Buffer {
  const broken = Buffer.from(message)
  broken.fill('?', 4, 20)
  return broken
}
