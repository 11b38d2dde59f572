import { inspect } from 'node:util'

const MASK = '[secret]'

/** A value that must never reach a log line, an error text or a JSON body. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The value itself. Each call of this is a place to review. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return MASK
  }

  toJSON(): string {
    return MASK
  }

  [inspect.custom](): string {
    return MASK
  }
}
