import { z } from 'zod'
import { readJson } from '../../base/json-faults.ts'
import { refused, type Result } from '../../base/refusal.ts'
import {
  CARD_TESTING_CODES,
  CARD_TESTING_COUNTS,
  CARD_TESTING_SUBJECTS,
  counterName,
  type CardTestingRule,
} from '../../domain/card-testing/card-testing.ts'
import { customerIp } from '../../domain/card-testing/customer-ip.ts'
import type { CardTestingDraft } from '../../domain/card-testing/rules-change.ts'

/** A counter keeps every card of its window, and is read with every payment. */
const MOST_CARDS = 500
const MOST_PAYMENTS = 100_000
const MOST_RULES = 20
const MOST_ADDRESSES = 100

function keysOf<Name extends string>(of: Readonly<Record<Name, string>>): Name[] {
  return Object.keys(of) as Name[]
}

function oneOf<Name extends string>(names: readonly Name[]) {
  return z.enum(names, { error: 'one of ' + names.map((name) => `"${name}"`).join(', ') })
}

function wholeNumber(low: number, high: number) {
  const error = `a whole number from ${low} to ${high}`
  return z.number({ error }).int({ error }).min(low, { error }).max(high, { error })
}

const NAME = 'lower-case letters, digits and dashes, at most 40, the first no dash'
const RULES = `a list of 1 to ${MOST_RULES} rules`
const ADDRESSES = `a list of at most ${MOST_ADDRESSES} IP addresses of the public network`

const SCHEMA = z.strictObject({
  rules: z
    .array(
      z.strictObject({
        name: z.string({ error: NAME }).regex(/^[a-z0-9][a-z0-9-]{0,39}$/, { error: NAME }),
        subject: oneOf(keysOf(CARD_TESTING_SUBJECTS)),
        counts: oneOf(keysOf(CARD_TESTING_COUNTS)),
        limit: wholeNumber(1, MOST_PAYMENTS),
        windowSeconds: wholeNumber(10, 86_400),
        code: z
          .literal([...CARD_TESTING_CODES], { error: CARD_TESTING_CODES.join(' or ') })
          .default(601),
      }),
      { error: RULES },
    )
    .min(1, { error: RULES })
    .max(MOST_RULES, { error: RULES }),
  exceptAddresses: z
    .array(z.string({ error: ADDRESSES }), { error: ADDRESSES })
    .max(MOST_ADDRESSES, { error: ADDRESSES })
    .default([]),
})

/** Reads a site's rules against card testing. */
export function readCardTestingFile(file: string): Result<{ readonly draft: CardTestingDraft }> {
  const read = readJson(file, SCHEMA)
  if (!read.ok) return read
  const { rules } = read.value
  const faults = rules.flatMap((rule, at) => ruleFaults(rule, at, rules.slice(0, at)))
  const exceptAddresses = read.value.exceptAddresses.flatMap((text) => {
    const address = customerIp(text)
    if (address === null) {
      faults.push(
        `exceptAddresses names ${JSON.stringify(text)}, which is no address of the public network.`,
      )
    }
    return address === null ? [] : [address]
  })
  return faults.length > 0
    ? refused('invalid', faults)
    : { ok: true, draft: { rules, exceptAddresses } }
}

function ruleFaults(
  rule: CardTestingRule,
  at: number,
  before: readonly CardTestingRule[],
): string[] {
  const { name, subject, counts, limit, windowSeconds } = rule
  const faults: string[] = []
  if (before.some((other) => other.name === name)) {
    faults.push(
      `rules.${at}.name is "${name}", as another rule's is; each needs a name of its own.`,
    )
  }
  const same = before.find((other) => counterName(other) === counterName(rule))
  if (same !== undefined) {
    faults.push(
      `rules.${at} ("${name}") counts what rule "${same.name}" counts: ${counts} of each ${subject} in ` +
        `${windowSeconds} s. Keep the one with the lower limit.`,
    )
  }
  if (subject === 'card' && counts === 'cards') {
    faults.push(`rules.${at} ("${name}") counts the cards of one card, which is always 1.`)
  }
  if (counts === 'cards' && limit > MOST_CARDS) {
    faults.push(
      `rules.${at}.limit is ${limit}; where cards are counted it must be at most ${MOST_CARDS}.`,
    )
  }
  return faults
}
