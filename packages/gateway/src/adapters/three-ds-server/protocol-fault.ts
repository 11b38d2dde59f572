/** A 3-D Secure message: names and values as they travel. */
export type Message = Readonly<Record<string, unknown>>

/** The possible faults, by the protocol's numbers. */
const DESCRIPTIONS = {
  '101': 'The message is not one that is expected here',
  '102': 'The message version is not supported',
  '103': 'PReq messages come too often',
  '201': 'A required element is missing',
  '202': 'A critical extension is not recognised',
  '203': 'An element has a wrong format or a value that is not allowed',
  '204': 'An element is present more than once',
  '301': 'A transaction id is not recognised',
  '303': 'Access is denied',
  '304': 'An ISO code is not valid',
  '305': 'The transaction data are not valid',
  '306': 'The merchant category code is not valid',
  '307': 'The serial number is not valid',
  '402': 'The transaction timed out',
  '403': 'A transient failure of the system',
  '404': 'A permanent failure of the system',
  '405': 'The connection failed',
} as const

export type FaultCode = keyof typeof DESCRIPTIONS

/** Something that is answered with an Erro. `detail` has names of elements, never their values. */
export class ProtocolFault extends Error {
  override readonly name = 'ProtocolFault'
  readonly code: FaultCode
  readonly detail: string

  constructor(code: FaultCode, detail: string) {
    super(`${code} ${detail}`)
    this.code = code
    this.detail = detail
  }
}

export const MAX_DETAIL = 2_048
const IDS = ['threeDSServerTransID', 'dsTransID', 'acsTransID'] as const
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a value is a UUID as the protocol writes it. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value)
}

/** The transaction ids of a message that may be broken otherwise. */
export function idsOf(message: Message): Readonly<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const name of IDS) {
    const value = Object.hasOwn(message, name) ? message[name] : undefined
    if (isUuid(value)) ids[name] = value
  }
  return ids
}

/** The Erro of a 3DS Server about a message that it got; `ids` win over those of the message. */
export function erroAbout(
  fault: Pick<ProtocolFault, 'code' | 'detail'>,
  about: Message,
  version: string,
  ids: Readonly<Record<string, string>> = {},
): Message {
  const type = Object.hasOwn(about, 'messageType') ? about['messageType'] : undefined
  return {
    messageType: 'Erro',
    messageVersion: version,
    ...idsOf(about),
    ...ids,
    errorCode: fault.code,
    errorComponent: 'S',
    errorDescription: DESCRIPTIONS[fault.code],
    errorDetail: fault.detail.slice(0, MAX_DETAIL) || '-',
    ...(typeof type === 'string' && /^[A-Za-z]{4}$/.test(type) ? { errorMessageType: type } : {}),
  }
}

/** Whether a text is one of the codes above. */
export function isFaultCode(code: string): code is FaultCode {
  return Object.hasOwn(DESCRIPTIONS, code)
}
