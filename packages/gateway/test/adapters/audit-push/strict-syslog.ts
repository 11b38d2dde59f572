import assert from 'node:assert/strict'

/** A message of RFC 5424. */
export interface SyslogMessage {
  readonly priority: number
  readonly host: string
  readonly messageId: string
  readonly text: string
}

/** `HEADER SP STRUCTURED-DATA SP MSG`, with NILVALUE for structured data. */
const MESSAGE =
  /^<(?<priority>\d{1,3})>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z (?<host>[!-~]{1,255}) tollgate \d{1,128} (?<id>[!-~]{1,32}) - (?<text>.*)$/s

/**
 * The whole frames of a stream, as RFC 5425 has them: `MSG-LEN SP SYSLOG-MSG`, and nothing between
 * two. Fails for anything else, and for a message beyond ASCII, which would need a byte order mark.
 * @returns `rest`: the bytes of the last frame that is torn; empty for none
 */
export function parseSyslog(stream: Buffer): {
  readonly messages: readonly SyslogMessage[]
  readonly rest: Buffer
} {
  const messages: SyslogMessage[] = []
  let rest = stream
  for (;;) {
    const space = rest.indexOf(' ')
    if (space === -1) return { messages, rest }
    const length = rest.subarray(0, space).toString('latin1')
    assert.match(length, /^[1-9]\d*$/, 'a frame does not begin with its length')
    const end = space + 1 + Number(length)
    if (rest.length < end) return { messages, rest }
    messages.push(parseMessage(rest.subarray(space + 1, end)))
    rest = rest.subarray(end)
  }
}

function parseMessage(bytes: Buffer): SyslogMessage {
  assert.ok(
    bytes.every((byte) => byte >= 0x20 && byte < 0x7f),
    'a message has a byte beyond printable ASCII',
  )
  const groups = MESSAGE.exec(bytes.toString('latin1'))?.groups
  assert.ok(groups !== undefined, 'a message is not of RFC 5424')
  const { host = '', id = '', priority = '', text = '' } = groups
  assert.ok(Number(priority) <= 191, 'the priority is beyond 191')
  return { priority: Number(priority), host, messageId: id, text }
}
