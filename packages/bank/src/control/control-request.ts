import type { IncomingMessage } from 'node:http'

/** A request that the control API refuses, with its HTTP status and a sentence with the reason. */
export class ControlRefusal extends Error {
  override readonly name = 'ControlRefusal'
  readonly status: number

  constructor(status: number, sentence: string) {
    super(sentence)
    this.status = status
  }
}

/** Far more than a fault rule needs. */
const USUAL_BODY_BYTES = 16_384

/**
 * Refuses requests that a web page in a browser on this machine could send. Such a page uses a name
 * of its own that leads here, or a request from another origin. Throws ControlRefusal.
 */
export function refuseBrowsers({ headers }: IncomingMessage, port: number): void {
  const names = ['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${port}`)
  if (headers.host === undefined || !names.includes(headers.host.toLowerCase())) {
    const sentence = `The Host header must be one of ${names.join(', ')}.`
    throw new ControlRefusal(403, sentence)
  }
  if (headers.origin !== undefined || headers['sec-fetch-site'] !== undefined) {
    throw new ControlRefusal(403, 'The control API is for programs and not for web pages.')
  }
}

/** The JSON body of a request. Throws ControlRefusal when it is too long or no JSON. */
export async function readJson(
  request: IncomingMessage,
  mostBytes = USUAL_BODY_BYTES,
): Promise<unknown> {
  const type = request.headers['content-type'] ?? ''
  if (!/^application\/json(;|$)/i.test(type)) {
    throw new ControlRefusal(415, 'The body must be JSON, with Content-Type: application/json.')
  }
  const parts: Buffer[] = []
  let length = 0
  // An aborted request must stay open for its answer.
  for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += part.length
    if (length > mostBytes) {
      throw new ControlRefusal(413, `The body is longer than ${mostBytes} bytes.`)
    }
    parts.push(part)
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown
  } catch {
    throw new ControlRefusal(400, 'The body is not JSON.')
  }
}
