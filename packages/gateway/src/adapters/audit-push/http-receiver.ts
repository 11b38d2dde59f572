import { request as requestPlain } from 'node:http'
import { request as requestTls } from 'node:https'
import { entryLine } from '../../usecases/audit/entry-line.ts'
import type { SendEntries } from '../../usecases/audit/push-audit.ts'
import type { Receiver } from './receiver.ts'

/** Posts each batch as JSON lines. Only a status of 2xx says that the receiver has the batch. */
export function createHttpReceiver({ ca, exchangeMs, secret, url }: Receiver): SendEntries {
  return (entries) => {
    const body = Buffer.from(entries.map((entry) => `${entryLine(entry)}\n`).join(''))
    const headers = {
      'content-type': 'application/x-ndjson',
      'content-length': body.length,
      ...(secret === null ? {} : { authorization: `Bearer ${secret.reveal()}` }),
    }
    // Redirects are not followed: the bearer secret is for this address only.
    const options = {
      method: 'POST',
      headers,
      signal: AbortSignal.timeout(exchangeMs),
      agent: false,
    }
    return new Promise((resolve, reject) => {
      const request =
        url.protocol === 'https:'
          ? requestTls(url, { ...options, minVersion: 'TLSv1.2', ...(ca === null ? {} : { ca }) })
          : requestPlain(url, options)
      request.on('error', reject).on('response', (response) => {
        const { statusCode = 0 } = response
        response.resume()
        response.on('error', reject).on('end', () => {
          if (isTaken(statusCode, entries.length)) resolve()
          else reject(new Error(`The receiver answered HTTP ${statusCode}; 2xx was expected.`))
        })
      })
      request.end(body)
    })
  }
}

/** An empty batch is an attempt of the doctor, and some receivers answer that it lacks content. */
function isTaken(status: number, entries: number): boolean {
  return (status >= 200 && status < 300) || (entries === 0 && status === 400)
}
