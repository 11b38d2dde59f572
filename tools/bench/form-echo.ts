// The yardstick for HTTP itself: reads the same form as a payment and returns its fields as JSON.
// As many processes as the gateway has workers: `WORKERS`.
import cluster from 'node:cluster'
import { createServer } from 'node:http'

/** The message of the first process once all of them listen. */
export interface EchoReady {
  readonly port: number
}

if (cluster.isPrimary) {
  const count = Number(process.env['WORKERS'] ?? '1')
  let listening = 0
  cluster.on('listening', (_worker, { port }) => {
    listening += 1
    if (listening === count) process.send?.({ port } satisfies EchoReady)
  })
  for (let started = 0; started < count; started += 1) cluster.fork()
  process.once('disconnect', () => process.exit(0))
} else {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const form = new URLSearchParams(Buffer.concat(chunks).toString())
      const body = Buffer.from(JSON.stringify(Object.fromEntries(form)))
      response.writeHead(200, {
        'content-type': 'application/json; charset=utf-8',
        'content-length': body.length,
      })
      response.end(body)
    })
  })
  server.listen(0, '127.0.0.1')
}
