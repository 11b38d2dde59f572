import { ACTION_NAMES } from '../../packages/gateway/src/http/payment/actions.ts'
import { PARAMETERS } from '../../packages/gateway/src/http/payment/parameters.ts'
import { TOKEN_PARAMETERS } from '../../packages/gateway/src/http/tokens/token-parameters.ts'
import { withoutComments } from './source-text.ts'

const GATEWAY = 'packages/gateway/src/'
const KERNEL = 'packages/kernel/src/'
/** Rooms that know neither the merchants' interface nor HTTP nor the bank's codes. */
const BEHIND =
  /^(?:base|domain|usecases|adapters|jobs|kernel)\/|^portal\/[^/]+\/(?:domain|usecases|store)\//
/** Rooms of the portal that answer browsers over HTTP, but not merchants' programs or the bank. */
const PORTAL_FRONT = /^portal\/(?:words|shell|[^/]+\/routes)\//
/** The one adapter that speaks ISO 8583, so it may know the bank's codes. */
const BANK_ADAPTER = 'adapters/processor-iso8583/'

const REQUEST_LOG = 'the request log keeps requests as they were sent; only this file reads them'
const SHOWN = 'the page shows a request under the names that were sent'

/** The files outside `http` that may have a name of the interface, and why. */
export const ALLOWED_NAMES: Readonly<Record<string, string>> = {
  'adapters/postgres/audit/logged-parameters.ts': REQUEST_LOG,
  'adapters/postgres/memberships/rebill-histories.ts':
    'an order keeps what was sent beside it by name; two of these are read here alone',
  'adapters/postgres/disputes/earlier-sales.ts':
    'an order keeps what was sent beside it by name; evidence compares three of these',
  'adapters/postgres/retention/customer-facts.ts':
    'an order keeps what was sent beside it by name; retention keeps the marks of a series',
  'adapters/operator-files/account-file.ts': 'operators name the account by what merchants send',
  'portal/developer/domain/curl.ts': SHOWN,
  'portal/developer/domain/test-value-rows.ts': SHOWN,
  'portal/developer/domain/why-decided.ts': SHOWN,
  'portal/developer/domain/why-screening.ts': SHOWN,
  'portal/developer/domain/why-steps.ts': SHOWN,
  'portal/developer/routes/developer-bank.ts': 'the page shows a request to send, as a command',
  'portal/developer/routes/developer-why.ts': SHOWN,
  'portal/order/routes/exchange.ts': 'the page shows an answer in the format of its request',
  'portal/settings/domain/going-live.ts': SHOWN,
  'portal/words/known-refusal.ts': 'a logged request shows by its parameters why it was refused',
  'kernel/card-testing-rules.ts': 'the sentence names the parameter that a merchant has to send',
}

/** The files outside the bank's adapter that may have a response code, and why. */
export const ALLOWED_CODES: Readonly<Record<string, string>> = {
  'domain/memberships/network-rules.ts': 'the card networks write their retry rules by these codes',
  'portal/developer/routes/developer-why.ts': 'an approval is never looked up as a test value',
  'portal/order/usecases/timeline.ts': "portal users are shown the bank's code with what it means",
}

interface Ban {
  readonly what: string
  /** Whether the routes and words of the portal are held to it as well. */
  readonly inPortalFront: boolean
  readonly allowed: Readonly<Record<string, string>>
  readonly find: (code: string) => string | null
}

/** In letters. Shorter names of requests and answers are common words as well. */
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
      inPortalFront: true,
      allowed: ALLOWED_NAMES,
      find: (code) => firstName(code, names),
    },
    {
      what: 'a status of HTTP',
      inPortalFront: false,
      allowed: {},
      find: (code) => STATUS.exec(code)?.[0] ?? null,
    },
    {
      what: 'a response code of the bank',
      inPortalFront: true,
      allowed: ALLOWED_CODES,
      find: (code) => BANK_CODE.exec(code)?.[0] ?? null,
    },
  ]
}

/** The names and codes in a file that belong to `http` or to the bank's adapter. */
export function wireBreaches(
  path: string,
  text: string,
  names: ReadonlySet<string>,
): readonly string[] {
  return bans(names).flatMap((ban) => {
    const found = foundIn(path, text, ban)
    if (found === null || (placeOf(path) ?? '') in ban.allowed) return []
    return [`${path} has ${ban.what} (${found}); it belongs to http or the bank's adapter.`]
  })
}

/** Exceptions that no file needs. */
export function idleExceptions(
  files: readonly { readonly path: string; readonly text: string }[],
  names: ReadonlySet<string>,
): readonly string[] {
  return bans(names).flatMap((ban) => {
    const needed = new Set(
      files.flatMap(({ path, text }) =>
        foundIn(path, text, ban) === null ? [] : [placeOf(path) ?? ''],
      ),
    )
    return Object.keys(ban.allowed)
      .filter((place) => !needed.has(place))
      .map((place) => `${place}: ${ban.what}`)
  })
}

function foundIn(path: string, text: string, ban: Ban): string | null {
  const place = placeOf(path)
  if (place === null || place.startsWith(BANK_ADAPTER)) return null
  const isHeld = BEHIND.test(place) || (ban.inPortalFront && PORTAL_FRONT.test(place))
  return isHeld ? ban.find(withoutComments(text)) : null
}

/** The path inside the gateway's sources; `kernel/...` in those of the kernel; null elsewhere. */
function placeOf(path: string): string | null {
  if (path.startsWith(KERNEL)) return `kernel/${path.slice(KERNEL.length)}`
  return path.startsWith(GATEWAY) ? path.slice(GATEWAY.length) : null
}
