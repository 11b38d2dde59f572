import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export const USAGE = `Usage: npm run bench -- [options]
  --seconds N            measured time for each row (5)
  --connections A,B      open requests for each row (1,16,64,256)
  --sustained MINUTES    also measure that long at 64 connections, across checkpoints and vacuums
  --rate A,B             also send so many requests a second, however late the answers are
  --overload             only send twice the capacity, and check what was accepted (no rows)
  --three-ds             only measure payments with and without 3-D Secure (no rows)
  --against COMMIT       measure this build and that commit's in turn; the results are not kept
  --profile FOLDER       leave CPU profiles there; the results are not kept then
`

export interface Options {
  readonly seconds: number
  readonly connections: readonly number[]
  readonly profileDir: string | null
  /** A commit to compare with. */
  readonly against: string | null
  readonly sustainedMinutes: number | null
  /** Only the run at twice the capacity. */
  readonly overload: boolean
  /** Only payments with 3-D Secure; with `against`, these instead of plain ones. */
  readonly threeDs: boolean
  /** Requests a second, each for a row of its own. */
  readonly rates: readonly number[]
}

function wholeNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) {
    throw new Error(`${option} is "${text}", where a whole number from 1 is expected.`)
  }
  return Number(text)
}

/** @throws Error, its message a sentence, for an option that cannot be. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '1,16,64,256' },
      profile: { type: 'string' },
      against: { type: 'string' },
      sustained: { type: 'string' },
      rate: { type: 'string' },
      'three-ds': { type: 'boolean', default: false },
      overload: { type: 'boolean', default: false },
    },
  })
  return {
    seconds: wholeNumber('--seconds', values.seconds),
    connections: values.connections.split(',').map((text) => wholeNumber('--connections', text)),
    profileDir: values.profile === undefined ? null : resolve(values.profile),
    against: values.against ?? null,
    sustainedMinutes:
      values.sustained === undefined ? null : wholeNumber('--sustained', values.sustained),
    overload: values.overload,
    threeDs: values['three-ds'],
    rates: (values.rate?.split(',') ?? []).map((text) => wholeNumber('--rate', text)),
  }
}
