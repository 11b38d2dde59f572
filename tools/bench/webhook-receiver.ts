// A merchant's program that accepts every webhook. It is a process of its own, and reports its
// address when it listens. It reports the number of webhooks whenever it is asked.
import { createServer } from 'node:http'

export type ReceiverMessage =
  | { readonly kind: 'listens'; readonly port: number }
  | { readonly kind: 'received'; readonly count: number; readonly processorMs: number }

const report = (message: ReceiverMessage): void => void process.send?.(message)

let count = 0
const server = createServer((request, response) => {
  request.resume()
  request.once('end', () => {
    count += 1
    response.writeHead(204).end()
  })
})
process.on('message', () => {
  const { system, user } = process.cpuUsage()
  report({ kind: 'received', count, processorMs: (system + user) / 1_000 })
})
process.once('disconnect', () => process.exit(0))
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  report({
    kind: 'listens',
    port: typeof address === 'object' && address !== null ? address.port : 0,
  })
})
