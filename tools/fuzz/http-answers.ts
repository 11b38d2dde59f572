/** One HTTP answer as it came over the socket. */
export interface HttpAnswer {
  readonly status: number
  /** By name in lower case; a comma joins repeated headers. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Every status of the gateway's servers; docs/internals/fuzz.md says when. */
export const STATUSES: ReadonlySet<number> = new Set([
  200, 204, 400, 404, 405, 408, 413, 415, 417, 429, 431, 503,
])

export interface ReadAnswers {
  readonly answers: readonly HttpAnswer[]
  /** A sentence when the bytes are no sequence of HTTP answers. */
  readonly wrong: string | null
}

const HEAD_END = '\r\n\r\n'
const NO_CHUNKS = '0\r\n\r\n'
const STATUS_LINE = /^HTTP\/1\.1 ([1-5][0-9]{2}) [\x20-\x7e]*$/
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\t\x20-\x7e]*)$/

/**
 * Cuts the bytes of a connection into answers, strictly: no byte may be left over. `mayBeCut`: the
 * connection was reset, so the last answer may be torn. `hasHead`: the request may have been a
 * HEAD, whose answer states the length of a body that it has not.
 */
export function readAnswers(
  bytes: Buffer,
  { mayBeCut = false, hasHead = false }: { mayBeCut?: boolean; hasHead?: boolean } = {},
): ReadAnswers {
  const answers: HttpAnswer[] = []
  const stop = (wrong: string): ReadAnswers => ({ answers, wrong: mayBeCut ? null : wrong })
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(HEAD_END, at)
    if (end === -1) return stop(`An answer has no end of its head: ${shown(bytes, at)}`)
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, end).split('\r\n')
    const status = Number(STATUS_LINE.exec(statusLine)?.[1])
    if (!(status >= 100)) return stop(`An answer begins with ${JSON.stringify(statusLine)}.`)
    const headers = new Map<string, string>()
    for (const line of lines) {
      const match = HEADER_LINE.exec(line)
      if (match === null) return stop(`An answer has the header line ${JSON.stringify(line)}.`)
      const [, name = '', value = ''] = match
      const key = name.toLowerCase()
      const earlier = headers.get(key)
      headers.set(key, earlier === undefined ? value : `${earlier}, ${value}`)
    }
    at = end + HEAD_END.length
    if (status === 100) continue
    const length = headers.get('content-length')
    const rest = bytes.length - at
    const isBodiless = hasHead && (rest === 0 || bytes.toString('latin1', at, at + 5) === 'HTTP/')
    let size = 0
    if (status === 204) {
      size = 0
    } else if (headers.get('transfer-encoding') === 'chunked' && length === undefined) {
      // Node's own refusals have no body; the gateway sends none in chunks.
      const hasNothing = bytes.toString('latin1', at, at + NO_CHUNKS.length) === NO_CHUNKS
      if (!hasNothing) return stop(`An answer with status ${status} has chunks.`)
      at += NO_CHUNKS.length
    } else if (length === undefined && headers.get('connection') === 'close') {
      size = rest
    } else if (length === undefined || !/^\d{1,7}$/.test(length)) {
      return stop(`An answer with status ${status} has content-length ${length ?? 'missing'}.`)
    } else {
      size = isBodiless ? 0 : Number(length)
    }
    if (size > rest) return stop(`An answer of ${size} bytes ends after ${rest}.`)
    answers.push({ status, headers, body: bytes.toString('utf8', at, at + size) })
    at += size
  }
  return { answers, wrong: null }
}

function shown(bytes: Buffer, at: number): string {
  return JSON.stringify(bytes.toString('latin1', at, at + 80))
}
