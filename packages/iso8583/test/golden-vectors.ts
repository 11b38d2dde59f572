import { readFileSync } from 'node:fs'
import type { IsoMessage } from '../src/index.ts'

interface Row {
  readonly name: string
  readonly profile: string
  readonly mti: string
  readonly fields: Record<number, string>
  readonly hex: string
}

export interface GoldenVector {
  readonly name: string
  readonly message: IsoMessage
  readonly bytes: Buffer
}

/**
 * The messages of golden-vectors.json in one profile. Their bytes are independent of this codec: a
 * second program with a field table of its own packed them. The link's message types were checked
 * by eye.
 */
export function goldenVectors(profile: string): GoldenVector[] {
  const file = new URL('golden-vectors.json', import.meta.url)
  const rows = JSON.parse(readFileSync(file, 'utf8')) as Row[]
  return rows
    .filter((row) => row.profile === profile)
    .map(({ name, mti, fields, hex }) => ({
      name,
      message: { mti, fields },
      bytes: Buffer.from(hex, 'hex'),
    }))
}
