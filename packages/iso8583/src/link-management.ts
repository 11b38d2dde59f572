import type { IsoMessage } from './codec.ts'

/** DE 70: the subject of a network management message. */
export const NETWORK_CODES = { signOn: '001', signOff: '002', echo: '301' } as const

/** DE 11 and DE 41 of one message. */
export interface MessageNumber {
  /** 8 characters. */
  readonly terminal: string
  /** 6 digits. */
  readonly stan: string
}

/**
 * Numbers for management messages, on a terminal id of our own: `NM` and six random characters, so
 * that they never meet the numbers of payments. A used-up terminal is replaced by another.
 */
export function createManagementNumbers(random: () => number): () => MessageNumber {
  let terminal = randomTerminal(random)
  let last = 0
  return () => {
    if (last === 999_999) {
      terminal = randomTerminal(random)
      last = 0
    }
    last += 1
    return { terminal, stan: String(last).padStart(6, '0') }
  }
}

function randomTerminal(random: () => number): string {
  const characters = Array.from({ length: 6 }, () => Math.floor(random() * 36).toString(36))
  return `NM${characters.join('')}`.toUpperCase()
}

/** A 0800 with this DE 70. */
export function managementMessage(
  networkCode: string,
  acquirerId: string,
  number: MessageNumber,
  at: Date,
): IsoMessage {
  const fields = {
    7: transmissionTime(at),
    11: number.stan,
    32: acquirerId,
    41: number.terminal,
    70: networkCode,
  }
  return { mti: '0800', fields }
}

/** DE 7: MMDDhhmmss in UTC. */
function transmissionTime(at: Date): string {
  return at.toISOString().slice(5, 19).replaceAll(/[-:T]/g, '')
}
