import type { Challenge, BroughtBack } from './challenge-store.ts'

/**
 * As far as the pages care: the issuer's page learns which transaction it is about, and nothing
 * else.
 */
export function challengeRequestText({
  acsTransId,
  serverTransId,
  version,
  window,
}: Pick<Challenge, 'acsTransId' | 'serverTransId' | 'version' | 'window'>): string {
  return JSON.stringify({
    messageType: 'CReq',
    messageVersion: version,
    threeDSServerTransID: serverTransId,
    acsTransID: acsTransId,
    challengeWindowSize: window,
  })
}

/** A length far beyond any message of the browser's leg. */
const LONGEST = 16_384

/** Base64url without padding, as it goes into forms. */
export function encodeText(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url')
}

/**
 * The text behind base64url that a browser brought; null for anything that is not written exactly
 * so. Decoders skip what they do not know. Padding is forgiven, for some issuers send it.
 */
export function decodeText(sent: string): string | null {
  if (sent.length > LONGEST || !/^[A-Za-z0-9_-]+={0,2}$/.test(sent)) return null
  const digits = sent.replace(/=+$/, '')
  const bytes = Buffer.from(digits, 'base64url')
  if (bytes.toString('base64url') !== digits) return null
  const text = bytes.toString('utf8')
  return Buffer.from(text, 'utf8').equals(bytes) ? text : null
}

/** A JSON object, as its own text says; null for all else. */
export function readObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null
  } catch {
    return null
  }
}

/**
 * The content of a cres about this challenge. It comes through the browser and proves nothing: the
 * issuer sends the same to the gateway itself, in the RReq.
 */
export function readChallengeReturn(
  cres: string,
  challenge: Pick<Challenge, 'acsTransId' | 'serverTransId' | 'version'>,
): {
  readonly brought: BroughtBack
  /** For the journal; null: not even JSON. */ readonly message: string | null
} {
  const text = decodeText(cres)
  const message = text === null ? null : readObject(text)
  if (message === null) return { brought: 'unreadable', message: null }
  const shown = JSON.stringify(shownPart(message))
  const { acsTransID, messageType, messageVersion, threeDSServerTransID } = message
  if (messageType === 'Erro') return { brought: 'erro', message: shown }
  const isOurs =
    messageType === 'CRes' &&
    threeDSServerTransID === challenge.serverTransId &&
    acsTransID === challenge.acsTransId &&
    messageVersion === challenge.version
  const { challengeCompletionInd, transStatus } = message
  if (!isOurs || challengeCompletionInd !== 'Y') return { brought: 'unreadable', message: shown }
  if (transStatus !== 'Y' && transStatus !== 'N') return { brought: 'unreadable', message: shown }
  return { brought: transStatus, message: shown }
}

const JOURNALLED = [
  'messageType',
  'messageVersion',
  'threeDSServerTransID',
  'acsTransID',
  'challengeCompletionInd',
  'transStatus',
  'errorCode',
  'errorComponent',
]

/** Fields that the protocol has, cut to what it allows: a browser could send a card number here. */
function shownPart(message: Readonly<Record<string, unknown>>): Record<string, string> {
  const shown: Record<string, string> = {}
  for (const name of JOURNALLED) {
    const value = message[name]
    if (
      typeof value === 'string' &&
      /^[A-Za-z0-9.-]{1,36}$/.test(value) &&
      !/[0-9]{9}/.test(value)
    ) {
      shown[name] = value
    }
  }
  return shown
}
