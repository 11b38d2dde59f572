// The messages between a gateway process and the vault process. A frame has the requests, or the
// answers, of one turn of its sender's event loop. It begins with 4 bytes for the length of the
// rest, and 1 byte for the version. All numbers are big-endian.

/** A peer that sends anything else speaks another version, or is none of ours. */
export class MalformedFrameError extends Error {
  override readonly name = 'MalformedFrameError'
}

export const OPERATIONS = [
  'hello',
  'seal card',
  'reveal card',
  'seal',
  'open',
  'seal code',
  'open code',
  're-encrypt',
] as const
export type VaultOperation = (typeof OPERATIONS)[number]

/** The fields that an operation does not need are 0, '' and empty. */
export interface VaultRequest {
  readonly sequence: number
  readonly operation: VaultOperation
  /** 0 for a card of a payment method, 1 for one under a card token. */
  readonly kind: number
  /** Of the row that the text is bound to. */
  readonly id: bigint
  readonly merchantId: bigint
  /** The reason, the binding, the token or the name of the sender. */
  readonly name: string
  readonly content: Buffer
}

/**
 * `limited`: the limit of openings is reached. `refused`: the policy never allows it.
 * `unavailable`: it may be asked again. `destroyed`: the data key is.
 */
export const STATUSES = [
  'done',
  'destroyed',
  'refused',
  'limited',
  'unavailable',
  'failed',
] as const
export type VaultStatus = (typeof STATUSES)[number]

export interface VaultAnswer {
  readonly sequence: number
  readonly status: VaultStatus
  /** The data key of a sealed text; else 0. */
  readonly dataKeyId: number
  /** The result, or a sentence about the failure. */
  readonly content: Buffer
}

const VERSION = 1
/** A note of a dispute is the longest text, with room to spare. */
export const CONTENT_BYTES_MAX = 128 * 1_024
export const FRAME_BYTES_MAX = 1_024 * 1_024
const LENGTH_BYTES = 4
const REQUEST_HEAD = 4 + 1 + 1 + 8 + 8 + 2 + 4
const ANSWER_HEAD = 4 + 1 + 4 + 4

/** Writes as many frames as the limit of their size needs. */
export function writeRequests(requests: readonly VaultRequest[]): Buffer {
  const sizeOf = ({ content, name }: VaultRequest): number =>
    REQUEST_HEAD + Buffer.byteLength(name) + content.length
  return writeFrames(requests, sizeOf, (frame, request, start) => {
    const { operation, content, id, kind, merchantId, name, sequence } = request
    let at = frame.writeUInt32BE(sequence, start)
    at = frame.writeUInt8(OPERATIONS.indexOf(operation), at)
    at = frame.writeUInt8(kind, at)
    at = frame.writeBigInt64BE(id, at)
    at = frame.writeBigInt64BE(merchantId, at)
    at = frame.writeUInt16BE(Buffer.byteLength(name), at)
    at = frame.writeUInt32BE(content.length, at)
    at += frame.write(name, at)
    return at + content.copy(frame, at)
  })
}

export function writeAnswers(answers: readonly VaultAnswer[]): Buffer {
  return writeFrames(
    answers,
    ({ content }) => ANSWER_HEAD + content.length,
    (frame, { content, dataKeyId, sequence, status }, start) => {
      let at = frame.writeUInt32BE(sequence, start)
      at = frame.writeUInt8(STATUSES.indexOf(status), at)
      at = frame.writeUInt32BE(dataKeyId, at)
      at = frame.writeUInt32BE(content.length, at)
      return at + content.copy(frame, at)
    },
  )
}

function writeFrames<Message>(
  messages: readonly Message[],
  sizeOf: (message: Message) => number,
  write: (frame: Buffer, message: Message, at: number) => number,
): Buffer {
  const frames: Buffer[] = []
  for (let from = 0; from < messages.length;) {
    let bytes = 1
    let to = from
    for (; to < messages.length; to += 1) {
      const size = sizeOf(messages[to] as Message)
      if (to > from && bytes + size > FRAME_BYTES_MAX) break
      bytes += size
    }
    const frame = Buffer.allocUnsafe(LENGTH_BYTES + bytes)
    let at = frame.writeUInt8(VERSION, frame.writeUInt32BE(bytes))
    for (const message of messages.slice(from, to)) at = write(frame, message, at)
    frames.push(frame)
    from = to
  }
  return frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames)
}

/** Throws MalformedFrameError unless the body has whole requests only. */
export function readRequests(body: Buffer): readonly VaultRequest[] {
  return readMessages(body, REQUEST_HEAD, (at) => {
    const operation = OPERATIONS[body.readUInt8(at + 4)]
    const nameBytes = body.readUInt16BE(at + 22)
    const contentBytes = body.readUInt32BE(at + 24)
    const nameAt = at + REQUEST_HEAD
    const end = nameAt + nameBytes + contentBytes
    if (operation === undefined)
      throw new MalformedFrameError('A request has an unknown operation.')
    checkSize(body, contentBytes, end)
    const message = {
      sequence: body.readUInt32BE(at),
      operation,
      kind: body.readUInt8(at + 5),
      id: body.readBigInt64BE(at + 6),
      merchantId: body.readBigInt64BE(at + 14),
      name: body.toString('utf8', nameAt, nameAt + nameBytes),
      content: body.subarray(nameAt + nameBytes, end),
    }
    return { message, end }
  })
}

/** Throws MalformedFrameError unless the body has whole answers only. */
export function readAnswers(body: Buffer): readonly VaultAnswer[] {
  return readMessages(body, ANSWER_HEAD, (at) => {
    const status = STATUSES[body.readUInt8(at + 4)]
    const contentBytes = body.readUInt32BE(at + 9)
    const end = at + ANSWER_HEAD + contentBytes
    if (status === undefined) throw new MalformedFrameError('An answer has an unknown status.')
    checkSize(body, contentBytes, end)
    const message = {
      sequence: body.readUInt32BE(at),
      status,
      dataKeyId: body.readUInt32BE(at + 5),
      content: body.subarray(at + ANSWER_HEAD, end),
    }
    return { message, end }
  })
}

function readMessages<Message>(
  body: Buffer,
  headBytes: number,
  read: (at: number) => { readonly message: Message; readonly end: number },
): readonly Message[] {
  if (body[0] !== VERSION)
    throw new MalformedFrameError(`A frame has the version ${body[0]} instead of ${VERSION}.`)
  const messages: Message[] = []
  for (let at = 1; at < body.length;) {
    if (at + headBytes > body.length) throw new MalformedFrameError('A frame ends in a message.')
    const { end, message } = read(at)
    messages.push(message)
    at = end
  }
  if (messages.length === 0) throw new MalformedFrameError('A frame has no message.')
  return messages
}

function checkSize(body: Buffer, contentBytes: number, end: number): void {
  if (contentBytes > CONTENT_BYTES_MAX)
    throw new MalformedFrameError('A message is longer than the limit.')
  if (end > body.length) throw new MalformedFrameError('A frame ends in a message.')
}

/**
 * Puts pieces of a stream together, and gives the body of each whole frame. It throws
 * MalformedFrameError at the head of a frame longer than `mostBytes`, before it keeps any of it.
 */
export function createFrameReader(
  mostBytes: () => number,
  onFrame: (body: Buffer) => void,
): (piece: Buffer) => void {
  let kept: Buffer = Buffer.alloc(0)
  return (piece) => {
    kept = kept.length === 0 ? piece : Buffer.concat([kept, piece])
    while (kept.length >= LENGTH_BYTES) {
      const bytes = kept.readUInt32BE()
      if (bytes === 0 || bytes > mostBytes())
        throw new MalformedFrameError(`A frame of ${bytes} bytes is outside of the limit.`)
      const end = LENGTH_BYTES + bytes
      if (kept.length < end) return
      const body = kept.subarray(LENGTH_BYTES, end)
      kept = kept.subarray(end)
      onFrame(body)
    }
  }
}
