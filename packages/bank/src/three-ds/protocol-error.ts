/** A 3-D Secure message: names and values as sent. */
export type Message = Readonly<Record<string, unknown>>

/** Errors by the numbers of the protocol. */
export const ERROR_TEXTS = {
  '101': 'Message is not what is expected here',
  '102': 'Message version is not supported',
  '103': 'Too many PReq messages',
  '201': 'Required data element missing',
  '202': 'Critical message extension not recognised',
  '203': 'Data element not in the required format, or its value not allowed',
  '204': 'Data element present more than once',
  '301': 'Transaction id not recognised, or used before',
  '303': 'Access denied',
  '304': 'ISO code not valid',
  '305': 'Transaction data not valid',
  '306': 'Merchant category code not valid',
  '307': 'Serial number not valid',
  '402': 'Transaction timed out',
  '403': 'Transient system failure',
  '404': 'Permanent system failure',
  '405': 'System connection failure',
} as const

export type ErrorCode = keyof typeof ERROR_TEXTS

/** A message that is answered with an Erro. `detail` has names of elements, never their values. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
  readonly code: ErrorCode
  readonly detail: string

  constructor(code: ErrorCode, detail: string) {
    super(`${code} ${detail}`)
    this.code = code
    this.detail = detail
  }
}

const ID_NAMES = ['threeDSServerTransID', 'dsTransID', 'acsTransID'] as const
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a text is a canonical UUID. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value)
}

/** The transaction ids of a message that may itself be broken. */
export function idsOf(message: Message): Message {
  return Object.fromEntries(
    ID_NAMES.map((name) => [name, message[name]] as const).filter(([, value]) => isUuid(value)),
  )
}

/** The Erro about a message. `component` is the finder of the fault: D the DS, A the ACS. */
export function erroMessage(
  error: ProtocolError,
  component: 'D' | 'A',
  about: Message,
  version: string,
): Message {
  const type = about['messageType']
  return {
    messageType: 'Erro',
    messageVersion: version,
    ...idsOf(about),
    errorCode: error.code,
    errorComponent: component,
    errorDescription: ERROR_TEXTS[error.code],
    errorDetail: error.detail.slice(0, 2048),
    ...(typeof type === 'string' && /^[A-Za-z]{4}$/.test(type) ? { errorMessageType: type } : {}),
  }
}
