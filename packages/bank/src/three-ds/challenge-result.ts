import { eciOf } from './cards.ts'
import { makeCavv } from './cavv.ts'
import type { Message } from './protocol-error.ts'
import type { ChallengeOutcome, Transaction } from './transactions.ts'

/** The CAVV of an authentication request, as messages carry it. */
export function authenticationValueOf(
  key: Buffer,
  { amount, currency, dsTransID, pan }: Transaction,
  eci: string,
): string {
  return makeCavv(key, { dsTransId: dsTransID, pan, amount, currency, eci }).toString('base64')
}

/** The reason for a failure, in codes of the version: 22 came with 2.2. */
export function technicalReason({ version }: Pick<Transaction, 'version'>): string {
  return version === '2.1.0' ? '15' : '22'
}

/** The RReq of an outcome, as the ACS sends it to the DS. */
export function resultOf(
  cavvKey: Buffer,
  transaction: Transaction,
  attempts: number,
  outcome: ChallengeOutcome,
): Message {
  const { acsTransID, category, dsTransID, pan, threeDSServerTransID, version } = transaction
  const { cancel, reason, status } = outcome
  const isGood = status === 'Y' || status === 'A'
  const eci = isGood ? eciOf(pan, status) : ''
  return {
    messageType: 'RReq',
    messageVersion: version,
    threeDSServerTransID,
    dsTransID,
    acsTransID,
    messageCategory: category,
    transStatus: status,
    ...(reason === undefined ? {} : { transStatusReason: reason }),
    ...(isGood
      ? {
          eci,
          authenticationValue: authenticationValueOf(cavvKey, transaction, eci),
        }
      : {}),
    authenticationType: '02',
    authenticationMethod: '02',
    interactionCounter: String(attempts).padStart(2, '0'),
    ...(cancel === undefined ? {} : { challengeCancel: cancel }),
  }
}

/** The CRes that the browser carries. */
export function cresOf(transaction: Transaction, transStatus: 'Y' | 'N'): Message {
  const { acsTransID, threeDSServerTransID, version } = transaction
  return {
    messageType: 'CRes',
    messageVersion: version,
    threeDSServerTransID,
    acsTransID,
    challengeCompletionInd: 'Y',
    transStatus,
  }
}
