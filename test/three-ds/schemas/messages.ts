import { authenticationRequest } from './authentication-request.ts'
import {
  CAVV,
  UUID,
  address,
  digits,
  has,
  hasNone,
  message,
  oneOf,
  pattern,
  text,
  whereThen,
  type Schema,
} from './elements.ts'

export const VERSIONS = ['2.1.0', '2.2.0'] as const
export type Version = (typeof VERSIONS)[number]

const IDS = { threeDSServerTransID: UUID, dsTransID: UUID, acsTransID: UUID }
const WHITE_LIST = {
  whiteListStatus: oneOf('Y', 'N', 'E', 'P', 'R', 'U'),
  whiteListSource: digits(2, 2),
}

/**
 * Every message between the 3DS Server and a Directory Server or a browser, of one version. With
 * `isMasked`, card numbers, expiry and CAVV are as the simulator's journal shows them.
 */
export function schemasOf(version: Version, isMasked: boolean): Readonly<Record<string, Schema>> {
  const isOld = version === '2.1.0'
  const cavv = isMasked ? pattern('\\*{28}') : CAVV
  const reason = isOld
    ? pattern('0[1-9]|1[0-9]|2[01]|[89][0-9]')
    : pattern('0[1-9]|1[0-9]|2[0-6]|[89][0-9]')
  const extension = { messageExtension: { type: 'array', maxItems: 10 } }
  return {
    AReq: authenticationRequest(version, isMasked),
    ARes: message(
      'ARes',
      version,
      {
        ...IDS,
        dsReferenceNumber: text(32),
        acsReferenceNumber: text(32),
        transStatus: isOld
          ? oneOf('Y', 'N', 'U', 'A', 'C', 'R')
          : oneOf('Y', 'N', 'U', 'A', 'C', 'R', 'I'),
      },
      {
        acsOperatorID: text(32),
        transStatusReason: reason,
        eci: digits(2, 2),
        authenticationValue: cavv,
        acsURL: address(2048, 'https'),
        acsChallengeMandated: oneOf('Y', 'N'),
        authenticationType: oneOf('01', '02', '03'),
        cardholderInfo: text(128),
        ...(isOld ? {} : WHITE_LIST),
        ...extension,
      },
      [
        whereThen('transStatus', ['N', 'U', 'R'], has('transStatusReason')),
        whereThen('transStatus', ['Y', 'A'], has('authenticationValue')),
        whereThen('transStatus', ['N', 'U', 'R', 'C'], hasNone('authenticationValue')),
        whereThen(
          'transStatus',
          ['C'],
          has('acsURL', 'acsChallengeMandated', 'authenticationType'),
        ),
      ],
    ),
    CReq: message('CReq', version, {
      threeDSServerTransID: UUID,
      acsTransID: UUID,
      challengeWindowSize: oneOf('01', '02', '03', '04', '05'),
    }),
    CRes: message('CRes', version, {
      threeDSServerTransID: UUID,
      acsTransID: UUID,
      challengeCompletionInd: oneOf('Y'),
      transStatus: oneOf('Y', 'N'),
    }),
    RReq: message(
      'RReq',
      version,
      {
        ...IDS,
        messageCategory: oneOf('01', '02'),
        transStatus: oneOf('Y', 'N', 'U', 'A', 'R'),
        interactionCounter: digits(2, 2),
      },
      {
        transStatusReason: reason,
        authenticationValue: cavv,
        eci: digits(2, 2),
        authenticationType: oneOf('01', '02', '03'),
        challengeCancel: oneOf('01', '03', '04', '05', '06', '07', '08'),
        ...(isOld ? {} : WHITE_LIST),
        ...extension,
      },
      [
        whereThen('transStatus', ['Y', 'N'], has('authenticationType')),
        whereThen('transStatus', ['N', 'U', 'R'], has('transStatusReason')),
        whereThen('transStatus', ['Y', 'A'], has('authenticationValue')),
        whereThen('transStatus', ['N', 'U', 'R'], hasNone('authenticationValue')),
      ],
    ),
    RRes: message('RRes', version, { ...IDS, resultsStatus: oneOf('01', '02', '03') }),
    PReq: message(
      'PReq',
      version,
      { threeDSServerTransID: UUID, threeDSServerRefNumber: text(32) },
      { threeDSServerOperatorID: text(32), serialNum: text(20) },
    ),
    PRes: message(
      'PRes',
      version,
      { threeDSServerTransID: UUID, dsTransID: UUID, dsStartProtocolVersion: text(8, 5) },
      {
        dsEndProtocolVersion: text(8, 5),
        serialNum: text(20),
        cardRangeData: { type: 'array', items: cardRange(isOld) },
        ...extension,
      },
    ),
    Erro: message(
      'Erro',
      version,
      {
        errorCode: oneOf(
          '101',
          '102',
          '103',
          '201',
          '202',
          '203',
          '204',
          '301',
          '302',
          '303',
          '304',
          '305',
          '306',
          '307',
          '402',
          '403',
          '404',
          '405',
        ),
        errorComponent: oneOf('C', 'S', 'D', 'A'),
        errorDescription: text(2048),
        errorDetail: text(2048),
      },
      {
        threeDSServerTransID: UUID,
        dsTransID: UUID,
        acsTransID: UUID,
        errorMessageType: text(4, 4),
      },
    ),
  }
}

function cardRange(isOld: boolean): Schema {
  const number = pattern('[0-9]{13,19}|[0-9]{6}\\*{3,9}[0-9]{4}')
  return {
    type: 'object',
    additionalProperties: false,
    required: ['startRange', 'endRange', 'acsStartProtocolVersion', 'acsEndProtocolVersion'],
    properties: {
      startRange: number,
      endRange: number,
      acsStartProtocolVersion: text(8, 5),
      acsEndProtocolVersion: text(8, 5),
      dsStartProtocolVersion: text(8, 5),
      dsEndProtocolVersion: text(8, 5),
      actionInd: oneOf('A', 'D', 'M'),
      threeDSMethodURL: address(256, 'https'),
      ...(isOld ? {} : { acsInfoInd: { type: 'array', items: oneOf('01', '02', '03', '04') } }),
    },
  }
}

/** The data of the 3DS Method that travels through the browser; it has no type and no version. */
export const METHOD_DATA: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['threeDSServerTransID', 'threeDSMethodNotificationURL'],
  properties: { threeDSServerTransID: UUID, threeDSMethodNotificationURL: address(256, 'https?') },
}
