import { ACTION_NAMES } from '../../packages/gateway/src/http/payment/actions.ts'
import { PARAMETERS } from '../../packages/gateway/src/http/payment/parameters.ts'
import { TOKEN_PARAMETERS } from '../../packages/gateway/src/http/tokens/token-parameters.ts'
import { withoutComments } from './source-text.ts'

const GATEWAY = 'packages/gateway/src/'
/** Rooms that may not know how merchants' programs, banks or browsers are spoken to. */
const BEHIND =
  /^(?:base|domain|usecases|adapters|jobs)\/|^portal\/[^/]+\/(?:domain|usecases|store)\//
/** The one adapter that speaks ISO 8583, so it may know the bank's codes. */
const BANK_ADAPTER = 'adapters/processor-iso8583/'

const REQUEST_LOG = 'the request log keeps requests as they were sent; it is read here alone'
const SHOWN = 'people are shown a request under the names that they sent'

/** Where a name of the interface is behind `http` all the same, and why. */
export const ALLOWED_NAMES: Readonly<Record<string, string>> = {
  'adapters/postgres/audit/logged-parameters.ts': REQUEST_LOG,
  'adapters/postgres/memberships/rebill-histories.ts':
    'an order keeps what was sent beside it by name; two of these are read here alone',
  'adapters/operator-files/account-file.ts': 'operators name the account by what merchants send',
  'portal/developer/domain/curl.ts': SHOWN,
  'portal/developer/domain/test-value-rows.ts': SHOWN,
  'portal/developer/domain/why-decided.ts': SHOWN,
  'portal/developer/domain/why-steps.ts': SHOWN,
  'portal/settings/domain/going-live.ts': SHOWN,
}

/** Where a response code of the bank is behind `http` all the same, and why. */
export const ALLOWED_CODES: Readonly<Record<string, string>> = {
  'domain/memberships/network-rules.ts': 'the card networks write their retry rules by these codes',
  'portal/order/usecases/timeline.ts': "people are shown the bank's code with what it means",
}

interface Ban {
  readonly what: string
  readonly allowed: Readonly<Record<string, string>>
  readonly find: (code: string) => string | null
}

/** A name of a request or an answer, and one that only looks like it: those are too short. */
const SHORTEST_NAME = 6

/**
 * Every name of the interface: parameters of both tables, actions, and the fields that the answers
 * in `http` are made of. `httpSources`: the code of that room.
 */
export function wireNames(httpSources: readonly string[]): ReadonlySet<string> {
  const fields = httpSources.flatMap((code) =>
    [...code.matchAll(/\b(?:text|number)\(\s*['`]([A-Z][A-Z0-9_]+?)(?:_\$\{[^}]*\})?['`]/g)].map(
      ([, name = '']) => name,
    ),
  )
  const parameters = PARAMETERS.flatMap(({ name, aliases }) => [
    name.replace(/_n$/, ''),
    ...aliases,
  ])
  const names = [
    ...parameters,
    ...TOKEN_PARAMETERS.map(({ name }) => name),
    ...fields,
    ...ACTION_NAMES,
  ]
  return new Set(names.filter((name) => name.length >= SHORTEST_NAME))
}

function firstName(code: string, names: ReadonlySet<string>): string | null {
  for (const [word] of code.matchAll(/\b[A-Z][A-Z0-9_]{5,}/g)) {
    if (names.has(word) || names.has(word.replace(/_[0-9]*$/, ''))) return word
  }
  return null
}

const STATUS =
  /\bPortalFault\b|\b(?:status|statusCode|httpStatus):\s*[1-5][0-9]{2}\b|\b(?:refusal|fault)\(\s*[1-5][0-9]{2}\b/
const BANK_CODE =
  /\b(?:responseCode|response_code)\s*(?:[!=]==|=|<>|(?:not )?in\b)\s*\(?\s*['"][0-9A-Z]{2}['"]|\bcode === '[0-9]{2}'/

function bans(names: ReadonlySet<string>): readonly Ban[] {
  return [
    {
      what: 'the name of a parameter, field or action',
      allowed: ALLOWED_NAMES,
      find: (code) => firstName(code, names),
    },
    {
      what: 'a status of HTTP',
      allowed: {},
      find: (code) => STATUS.exec(code)?.[0] ?? null,
    },
    {
      what: 'a response code of the bank',
      allowed: ALLOWED_CODES,
      find: (code) => BANK_CODE.exec(code)?.[0] ?? null,
    },
  ]
}

/** What a file knows that belongs in front of `http` or behind the bank's adapter. */
export function wireBreaches(
  path: string,
  text: string,
  names: ReadonlySet<string>,
): readonly string[] {
  return bans(names).flatMap((ban) => {
    const found = foundIn(path, text, ban)
    if (found === null || placeOf(path) in ban.allowed) return []
    return [`${path} has ${ban.what} (${found}); it belongs to http or the bank's adapter.`]
  })
}

/** Exceptions that nothing needs any more. */
export function idleExceptions(
  files: readonly { readonly path: string; readonly text: string }[],
  names: ReadonlySet<string>,
): readonly string[] {
  return bans(names).flatMap((ban) => {
    const needed = new Set(
      files.flatMap(({ path, text }) => (foundIn(path, text, ban) === null ? [] : [placeOf(path)])),
    )
    return Object.keys(ban.allowed)
      .filter((place) => !needed.has(place))
      .map((place) => `${place}: ${ban.what}`)
  })
}

function foundIn(path: string, text: string, ban: Ban): string | null {
  const place = placeOf(path)
  if (!path.startsWith(GATEWAY) || !BEHIND.test(place) || place.startsWith(BANK_ADAPTER))
    return null
  return ban.find(withoutComments(text))
}

function placeOf(path: string): string {
  return path.slice(GATEWAY.length)
}
