import { once } from 'node:events'
import { connect } from 'node:net'
import {
  createFrameReader,
  readAnswers,
  writeRequests,
  type VaultAct,
  type VaultRequest,
} from './wire.ts'

/** The gateway's end: requests of one turn of the event loop travel in one frame. */
export interface VaultClient {
  /** @throws Error when the policy refuses it */
  ask(act: VaultAct, content: Buffer, rowId: bigint, merchantId: bigint): Promise<Buffer>
  close(): void
}

interface Waiting {
  readonly resolve: (content: Buffer) => void
  readonly reject: (error: Error) => void
}

export async function connectToVault(path: string): Promise<VaultClient> {
  const socket = connect(path)
  await once(socket, 'connect')
  const waiting = new Map<number, Waiting>()
  let next: VaultRequest[] = []
  let sequence = 0
  socket.on(
    'data',
    createFrameReader((body) => {
      for (const answer of readAnswers(body)) {
        const asked = waiting.get(answer.sequence)
        waiting.delete(answer.sequence)
        if (answer.content === null) asked?.reject(new Error('The policy of the vault refused it.'))
        else asked?.resolve(answer.content)
      }
    }),
  )
  const send = (): void => {
    socket.write(writeRequests(next))
    next = []
  }
  return {
    ask(act, content, rowId, merchantId) {
      sequence = (sequence + 1) % 2 ** 32
      if (next.length === 0) setImmediate(send)
      next.push({ sequence, act, rowId, merchantId, content })
      const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
      waiting.set(sequence, { resolve, reject })
      return promise
    },
    close: () => socket.destroy(),
  }
}
