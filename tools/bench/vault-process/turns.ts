import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createCardKeys } from './card-keys.ts'
import { connectToVault } from './vault-client.ts'
import type { VaultServerMessage } from './vault-server.ts'

/**
 * Ways to encrypt a card number. `in process`: in the gateway, as today. The others ask a process
 * apart: for fingerprint and ciphertext by a request each, or by one for both.
 */
export const WAYS = ['in process', 'two requests', 'one request'] as const
export type Way = (typeof WAYS)[number]

/** A worker that only encrypts, and the process apart. */
export interface VaultTurns {
  /**
   * Processor time of both processes for each authorization, in microseconds.
   * @param group authorizations that reach the vault in the same turn of the event loop
   */
  run(way: Way, group: number, authorizations: number): Promise<number>
  stop(): void
}

const DIGITS = Buffer.from('4111111111111111')
const MERCHANT = 1n

/** @param socketPath of the process apart, in a folder that only this user may enter. */
export async function startVaultTurns(socketPath: string): Promise<VaultTurns> {
  const server = fork(fileURLToPath(new URL('vault-server.ts', import.meta.url)), [socketPath])
  const next = async (): Promise<VaultServerMessage> => {
    const [message] = (await once(server, 'message')) as [VaultServerMessage]
    return message
  }
  await next()
  const client = await connectToVault(socketPath)
  const keys = createCardKeys()
  let rowId = 1n

  async function usedMicros(): Promise<number> {
    const answer = next()
    server.send('used')
    const message = await answer
    const { system, user } = process.cpuUsage()
    return system + user + (message.kind === 'used' ? message.micros : 0)
  }

  async function protect(way: Way): Promise<void> {
    rowId += 1n
    if (way === 'in process') {
      keys.fingerprint(DIGITS, MERCHANT)
      keys.seal(DIGITS, rowId)
    } else if (way === 'one request') {
      await client.ask('seal and fingerprint', DIGITS, rowId, MERCHANT)
    } else {
      await client.ask('fingerprint', DIGITS, 0n, MERCHANT)
      await client.ask('seal', DIGITS, rowId, MERCHANT)
    }
  }

  return {
    async run(way, group, authorizations) {
      const before = await usedMicros()
      for (let done = 0; done < authorizations; done += group) {
        await Promise.all(Array.from({ length: group }, () => protect(way)))
      }
      return ((await usedMicros()) - before) / authorizations
    },
    stop() {
      client.close()
      server.disconnect()
    },
  }
}
