import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import type { IssuerPage, SimulatedIssuer } from '../../usecases/three-ds/simulated-issuer.ts'
import { lookupHere } from './directory-client.ts'

/** Longer than any page of the simulated issuer. */
const MOST_BYTES = 256 * 1024
/** The bank delivers a result for up to 5 seconds before it lets the browser go. */
const ANSWER_MS = 20_000

/**
 * Fetches the pages of the simulated issuer over TLS, under the authority of the simulated scheme.
 * Addresses and authority are read for each page, because a restart of the bank may change them.
 *
 * @param folder the simulator's folder, in which the bank keeps `addresses.json` and `ca.pem`
 */
export function createSimulatedIssuer(folder: string): SimulatedIssuer {
  return {
    async post(path, form) {
      try {
        const [addresses, ca] = await Promise.all(
          ['addresses.json', 'ca.pem'].map((name) => readFile(join(folder, name), 'utf8')),
        )
        const { acsUrl } = JSON.parse(addresses ?? '') as { readonly acsUrl: string }
        return await fetchPage(new URL(path, acsUrl), ca ?? '', form)
      } catch {
        // The files are missing or half written, or the bank is being restarted.
        return null
      }
    },
  }
}

async function fetchPage(url: URL, ca: string, form: Buffer): Promise<IssuerPage> {
  const { promise, reject, resolve } = Promise.withResolvers<IncomingMessage>()
  const outgoing = request(url, {
    method: 'POST',
    agent: false,
    ca,
    minVersion: 'TLSv1.2',
    lookup: lookupHere,
    signal: AbortSignal.timeout(ANSWER_MS),
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': form.length,
    },
  })
  outgoing.on('response', resolve)
  outgoing.on('error', reject)
  outgoing.end(form)
  const incoming = await promise
  const parts: Buffer[] = []
  let length = 0
  for await (const part of incoming as AsyncIterable<Buffer>) {
    length += part.length
    if (length > MOST_BYTES) throw new Error('The page of the simulated issuer is too long.')
    parts.push(part)
  }
  return {
    status: incoming.statusCode ?? 502,
    contentType: incoming.headers['content-type'] ?? 'text/html; charset=utf-8',
    policy: String(incoming.headers['content-security-policy'] ?? "default-src 'none'"),
    body: Buffer.concat(parts),
  }
}
