// Holds many connections of one slow kind to a gateway until the parent process stops it. Opens one
// again after each cut.
import { connect, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { SlowClientsOptions, SlowClientsReport } from './slow-clients.ts'

const options = JSON.parse(process.env['TEST_SLOW_CLIENTS'] ?? '{}') as SlowClientsOptions
const http = Number(new URL(options.httpUrl).port)
const https = Number(new URL(options.httpsUrl).port)
const BYTE_EVERY_MS = 1_000
const HEAD = 'POST /payment/pmt_service.cfm HTTP/1.1\r\nHost: localhost\r\n'
const WHOLE = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'

const KINDS: Record<SlowClientsOptions['kind'], () => Socket> = {
  silent: () => connect(http, '127.0.0.1').resume(),
  'silent where TLS is spoken': () => connect(https, '127.0.0.1').resume(),
  'half a handshake': () => {
    const socket = connect(https, '127.0.0.1').resume()
    // A record that claims 200 bytes, and the first 35 of them.
    socket.write(Buffer.from([22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3, ...Array(29).fill(7)]))
    return socket
  },
  'silent after the handshake': () =>
    connectTls({ port: https, host: '127.0.0.1', rejectUnauthorized: false }).resume(),
  'header lines byte by byte': () => trickling(HEAD),
  'a body byte by byte': () => trickling(`${HEAD}Content-Length: 5000\r\n\r\n`, true),
  'answer never read': () => {
    const socket = connect(http, '127.0.0.1').pause()
    socket.write(WHOLE)
    // A client that never reads does not see the end either. Blank lines are no request.
    const probe = setInterval(() => socket.write('\r\n'), BYTE_EVERY_MS)
    socket.once('close', () => clearInterval(probe))
    return socket
  },
  'kept and idle': () => {
    const socket = connect(http, '127.0.0.1').resume()
    socket.write(WHOLE)
    return socket
  },
}

const trickles = new Map<Socket, string>()
setInterval(() => {
  for (const [socket, rest] of trickles) {
    socket.write(rest.slice(0, 1) || 'x')
    trickles.set(socket, rest.slice(1))
  }
}, BYTE_EVERY_MS)

function trickling(head: string, isSentWhole = false): Socket {
  const socket = connect(http, '127.0.0.1').resume()
  if (isSentWhole) socket.write(head)
  trickles.set(socket, isSentWhole ? '' : head)
  socket.once('close', () => trickles.delete(socket))
  return socket
}

let isAttacking = true
let toOpen = options.count
let open = 0
let cut = 0

function openOne(): void {
  let isConnected = false
  const socket = KINDS[options.kind]()
  socket.on('error', () => undefined)
  socket.once('connect', () => {
    isConnected = true
    open += 1
  })
  socket.once('close', () => {
    if (isConnected) {
      open -= 1
      cut += 1
    }
    if (!isAttacking) return
    setTimeout(() => {
      if (isAttacking) toOpen += 1
    }, options.againAfterMs)
  })
}

setInterval(() => {
  for (let n = 0; n < options.openedAtOnce && toOpen > 0; n += 1, toOpen -= 1) openOne()
}, 20)

process.on('message', (message) => {
  if (message === 'cease') {
    isAttacking = false
    toOpen = 0
  }
  process.send?.({ open, cut } satisfies SlowClientsReport)
})
process.on('disconnect', () => process.exit(0))
