/**
 * Splits the bytes of one keep-alive connection into HTTP/1.1 answers. It knows only the HTTP of
 * the two measured servers: answers with a Content-Length, one at a time.
 */
export interface AnswerReader {
  /** @returns the status line and body of the answer once it is whole, null until then. */
  push(chunk: Buffer): Answer | null
}

export interface Answer {
  readonly statusLine: string
  /** The status line and the headers. */
  readonly head: string
  readonly body: string
}

const HEAD_END = '\r\n\r\n'
const LENGTH = /\r\ncontent-length: *(\d+)\r\n/i

export function createAnswerReader(): AnswerReader {
  let received = ''
  return {
    push(chunk) {
      received += chunk.toString('latin1') // One character for each byte, so that lengths agree.
      const headEnd = received.indexOf(HEAD_END)
      if (headEnd < 0) return null
      const length = LENGTH.exec(received.slice(0, headEnd + 2))?.[1]
      const statusLine = received.slice(0, received.indexOf('\r\n'))
      if (length === undefined) {
        throw new Error(`An answer (${statusLine}) has no Content-Length, which it was to have.`)
      }
      const end = headEnd + HEAD_END.length + Number(length)
      if (received.length < end) return null
      if (received.length > end) {
        throw new Error(`More came than the one answer that was asked for (${statusLine}).`)
      }
      const head = received.slice(0, headEnd + 2)
      const body = received.slice(headEnd + HEAD_END.length)
      received = ''
      return { statusLine, head, body }
    },
  }
}
