// The process that alone has the data keys: it answers at a Unix socket in a folder that only its
// user may enter. It reports its processor time whenever it is asked.
import { createServer } from 'node:net'
import { createCardKeys } from './card-keys.ts'
import { createFrameReader, readRequests, writeAnswers, type VaultRequest } from './wire.ts'

export type VaultServerMessage =
  | { readonly kind: 'listens' }
  | { readonly kind: 'used'; readonly micros: number }

/** The policy: so many numbers are given out in a second. Everything else is not limited. */
const MOST_OPENED_A_SECOND = 5_000

const report = (message: VaultServerMessage): void => void process.send?.(message)
const keys = createCardKeys()
let opened = 0
setInterval(() => (opened = 0), 1_000).unref()

function act({ act: what, content, merchantId, rowId }: VaultRequest): Buffer | null {
  switch (what) {
    case 'fingerprint':
      return Buffer.from(keys.fingerprint(content, merchantId), 'latin1')
    case 'seal':
      return Buffer.from(keys.seal(content, rowId), 'latin1')
    case 'seal and fingerprint':
      return Buffer.from(
        keys.fingerprint(content, merchantId) + keys.seal(content, rowId),
        'latin1',
      )
    case 'open':
      opened += 1
      return opened > MOST_OPENED_A_SECOND ? null : keys.open(content, rowId)
  }
}

const server = createServer((socket) => {
  socket.on('error', () => undefined)
  socket.on(
    'data',
    createFrameReader((body) => {
      const answers = readRequests(body).map((request) => ({
        sequence: request.sequence,
        content: act(request),
      }))
      socket.write(writeAnswers(answers))
    }),
  )
})
process.on('message', () => {
  const { system, user } = process.cpuUsage()
  report({ kind: 'used', micros: system + user })
})
process.once('disconnect', () => process.exit(0))
server.listen(process.argv[2], () => report({ kind: 'listens' }))
