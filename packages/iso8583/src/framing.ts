import type { Socket } from 'node:net'
import { MAX_MESSAGE_BYTES } from './codec.ts'
import { Iso8583Error } from './iso8583-error.ts'

/** The shortest message that a frame carries, in bytes. */
export const MIN_MESSAGE_BYTES = 12

/**
 * The message with its length in front: 2 bytes, big-endian, not counting themselves. Throws
 * Iso8583Error (`frame_length_invalid`) unless the message is 12 to 8192 bytes.
 */
export function frame(message: Buffer): Buffer {
  assertLength(message.length)
  const framed = Buffer.allocUnsafe(message.length + 2)
  framed.writeUInt16BE(message.length, 0)
  message.copy(framed, 2)
  return framed
}

/** Cuts a byte stream into messages. One instance lives as long as one connection. */
export class FrameReader {
  /** Set when the stream cannot be cut any further: the connection must be closed. */
  fault: Iso8583Error | null = null
  #headerByte = -1
  #body: Buffer | null = null
  #filled = 0

  /**
   * The messages that are complete now, without their lengths; they may share memory with its
   * argument. When a length is not 12 to 8192, the messages before it are still returned and
   * `fault` is set. When there are none, and on every later call, the fault is thrown.
   */
  push(chunk: Buffer): Buffer[] {
    const messages: Buffer[] = []
    let at = 0
    while (this.fault === null && at < chunk.length) {
      at = this.#body === null ? this.#start(chunk, at, messages) : this.#fill(chunk, at, messages)
    }
    if (this.fault !== null && messages.length === 0) throw this.fault
    return messages
  }

  /** True between two messages, where a connection may end without tearing one. */
  get isBetweenMessages(): boolean {
    return this.#headerByte === -1 && this.#body === null
  }

  #start(chunk: Buffer, at: number, messages: Buffer[]): number {
    const first = this.#headerByte === -1 ? chunk.readUInt8(at++) : this.#headerByte
    if (at === chunk.length) {
      this.#headerByte = first
      return at
    }
    const length = (first << 8) | chunk.readUInt8(at++)
    this.#headerByte = -1
    if (length < MIN_MESSAGE_BYTES || length > MAX_MESSAGE_BYTES) {
      this.fault = badLength()
      return at
    }
    const end = at + length
    if (end <= chunk.length) {
      messages.push(chunk.subarray(at, end))
      return end
    }
    // Its full size at once: pieces are copied to their place, and no byte is copied twice.
    this.#body = Buffer.allocUnsafe(length)
    this.#filled = 0
    return at
  }

  #fill(chunk: Buffer, at: number, messages: Buffer[]): number {
    const body = this.#body
    if (body === null) return at
    const copied = chunk.copy(body, this.#filled, at)
    this.#filled += copied
    if (this.#filled === body.length) {
      messages.push(body)
      this.#body = null
    }
    return at + copied
  }
}

/** Writes the frames of one turn of the event loop in one piece: one system call, fewer packets. */
export class FrameWriter {
  readonly #socket: Socket
  #waiting: Buffer[] = []
  #scheduled = false

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** Frames the message and writes it before the next turn. Throws as {@link frame} does. */
  write(message: Buffer): void {
    this.writeRaw(frame(message))
  }

  /** Writes bytes as they are, in their order with the frames. */
  writeRaw(bytes: Buffer): void {
    this.#waiting.push(bytes)
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.flush())
  }

  /** Writes all waiting bytes at once. */
  flush(): void {
    const waiting = this.#waiting
    this.#waiting = []
    this.#scheduled = false
    if (waiting.length === 0 || !this.#socket.writable) return
    this.#socket.write(waiting.length === 1 && waiting[0] ? waiting[0] : Buffer.concat(waiting))
  }
}

function assertLength(length: number): void {
  if (length < MIN_MESSAGE_BYTES || length > MAX_MESSAGE_BYTES) throw badLength()
}

function badLength(): Iso8583Error {
  const text = `A frame's length is not ${MIN_MESSAGE_BYTES} to ${MAX_MESSAGE_BYTES} bytes.`
  return new Iso8583Error('frame_length_invalid', text)
}
