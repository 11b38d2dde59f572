import { HOUSE_PROFILE, compileProfile, decodePrivateData } from '@tollgate/iso8583'
import type { BankTap } from '../../support/bank-tap.ts'

const codec = compileProfile(HOUSE_PROFILE)

/** The data that the bank received with one authorization; '' for each absent field. */
export interface BankRequest {
  readonly pan: string
  /** Minor units. */
  readonly amount: number
  readonly eci: string
  /** 40 hexadecimal digits. */
  readonly cavv: string
  readonly dsTransId: string
  readonly version: string
}

/** Every authorization that went over the link, repeats of one message included. */
export function bankRequests(tap: BankTap): BankRequest[] {
  return tap.messages
    .map((bytes) => codec.decode(bytes))
    .filter(({ mti }) => mti === '0100' || mti === '0101')
    .map(({ fields }) => {
      const tags = decodePrivateData(fields[48] ?? '')
      return {
        pan: fields[2] ?? '',
        amount: Number(fields[4]),
        eci: tags['EC'] ?? '',
        cavv: tags['CA'] ?? '',
        dsTransId: tags['DS'] ?? '',
        version: tags['3V'] ?? '',
      }
    })
}

/** The bank's results for the CAVVs that it received: position 4 of DE 44, in sequence. */
export function cavvFindings(tap: BankTap): string[] {
  return tap.messages
    .map((bytes) => codec.decode(bytes))
    .filter(({ mti }) => mti === '0110')
    .map(({ fields }) => (fields[44] ?? '').padEnd(4)[3] ?? ' ')
}
