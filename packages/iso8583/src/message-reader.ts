import type { Codec, IsoMessage } from './codec.ts'
import { FrameReader } from './framing.ts'
import { Iso8583Error } from './iso8583-error.ts'

/** Reads messages from a byte stream. One instance lives as long as one connection. */
export class MessageReader {
  readonly #codec: Codec
  readonly #frames = new FrameReader()
  /** Set when the stream cannot be read any further: the connection must be closed. */
  fault: Iso8583Error | null = null

  constructor(codec: Codec) {
    this.#codec = codec
  }

  /**
   * The messages that are complete now, up to the first one that cannot be read; `fault` is set
   * then. It reads while it is walked, so it must be walked to its end.
   */
  *read(chunk: Buffer): Generator<IsoMessage, void, void> {
    if (this.fault !== null) return
    const frames = this.#attempt(() => this.#frames.push(chunk)) ?? []
    for (const bytes of frames) {
      const message = this.#attempt(() => this.#codec.decode(bytes))
      if (message === null) return
      yield message
    }
    this.fault ??= this.#frames.fault
  }

  /** Null when the peer's bytes were wrong. A fault of our own must not pass for the peer's. */
  #attempt<Value>(work: () => Value): Value | null {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof Iso8583Error)) throw error
      this.fault = error
      return null
    }
  }
}
