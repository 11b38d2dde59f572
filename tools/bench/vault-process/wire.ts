// The messages between a gateway and a process that alone has the data keys. Each frame has the
// requests, or the answers, of one turn of the sender.

/** `open`: gives a number out, for a message to a bank. */
export type VaultAct = 'fingerprint' | 'seal' | 'seal and fingerprint' | 'open'

export interface VaultRequest {
  readonly sequence: number
  readonly act: VaultAct
  /** Of the row that the number is bound to. */
  readonly rowId: bigint
  readonly merchantId: bigint
  /** The digits of a number, or what was sealed. */
  readonly content: Buffer
}

export interface VaultAnswer {
  readonly sequence: number
  /** Null: refused by the policy. */
  readonly content: Buffer | null
}

const ACTS: readonly VaultAct[] = ['fingerprint', 'seal', 'seal and fingerprint', 'open']
const LENGTH_BYTES = 4
const REQUEST_HEAD = 4 + 1 + 8 + 8 + 2
const ANSWER_HEAD = 4 + 1 + 2

export function writeRequests(requests: readonly VaultRequest[]): Buffer {
  const bytes = requests.reduce((sum, { content }) => sum + REQUEST_HEAD + content.length, 0)
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + bytes)
  let at = frame.writeUInt32BE(bytes)
  for (const { act, content, merchantId, rowId, sequence } of requests) {
    at = frame.writeUInt32BE(sequence, at)
    at = frame.writeUInt8(ACTS.indexOf(act), at)
    at = frame.writeBigUInt64BE(rowId, at)
    at = frame.writeBigUInt64BE(merchantId, at)
    at = frame.writeUInt16BE(content.length, at)
    at += content.copy(frame, at)
  }
  return frame
}

export function readRequests(body: Buffer): readonly VaultRequest[] {
  const requests: VaultRequest[] = []
  for (let at = 0; at < body.length;) {
    const end = at + REQUEST_HEAD + body.readUInt16BE(at + 21)
    requests.push({
      sequence: body.readUInt32BE(at),
      act: ACTS[body.readUInt8(at + 4)] ?? 'fingerprint',
      rowId: body.readBigUInt64BE(at + 5),
      merchantId: body.readBigUInt64BE(at + 13),
      content: body.subarray(at + REQUEST_HEAD, end),
    })
    at = end
  }
  return requests
}

export function writeAnswers(answers: readonly VaultAnswer[]): Buffer {
  const bytes = answers.reduce((sum, { content }) => sum + ANSWER_HEAD + (content?.length ?? 0), 0)
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + bytes)
  let at = frame.writeUInt32BE(bytes)
  for (const { content, sequence } of answers) {
    at = frame.writeUInt32BE(sequence, at)
    at = frame.writeUInt8(content === null ? 0 : 1, at)
    at = frame.writeUInt16BE(content?.length ?? 0, at)
    at += content?.copy(frame, at) ?? 0
  }
  return frame
}

export function readAnswers(body: Buffer): readonly VaultAnswer[] {
  const answers: VaultAnswer[] = []
  for (let at = 0; at < body.length;) {
    const end = at + ANSWER_HEAD + body.readUInt16BE(at + 5)
    const isDone = body.readUInt8(at + 4) === 1
    const content = isDone ? body.subarray(at + ANSWER_HEAD, end) : null
    answers.push({ sequence: body.readUInt32BE(at), content })
    at = end
  }
  return answers
}

/** Puts pieces of a stream together, and gives the body of each whole frame. */
export function createFrameReader(onFrame: (body: Buffer) => void): (piece: Buffer) => void {
  let kept: Buffer = Buffer.alloc(0)
  return (piece) => {
    kept = kept.length === 0 ? piece : Buffer.concat([kept, piece])
    while (kept.length >= LENGTH_BYTES) {
      const end = LENGTH_BYTES + kept.readUInt32BE()
      if (kept.length < end) return
      onFrame(kept.subarray(LENGTH_BYTES, end))
      kept = kept.subarray(end)
    }
  }
}
