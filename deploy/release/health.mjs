// Exits with 0 if the gateway in this container is ready, for health checks of containers. It asks
// on loopback, where no balancer and no other machine answers.
import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'

const TIMEOUT_MS = 4_000
const { PORT = '8080', TLS_PORT = '8443' } = process.env

/** The status of the answer; 0 when there was none. */
function ask(get, url) {
  return new Promise((settle) => {
    // The certificate is for the public name. Nothing secret is sent.
    const request = get(url, { rejectUnauthorized: false, timeout: TIMEOUT_MS }, (answer) => {
      answer.resume()
      settle(answer.statusCode ?? 0)
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => settle(0))
  })
}

const secure = await ask(getSecure, `https://127.0.0.1:${TLS_PORT}/health/ready`)
// Behind a trusted proxy there may be no HTTPS.
const status = secure === 0 ? await ask(getPlain, `http://127.0.0.1:${PORT}/health/ready`) : secure
process.exitCode = status === 200 ? 0 : 1
