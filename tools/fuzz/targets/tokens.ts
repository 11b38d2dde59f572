import { isTokenAnswerGenuine } from '@tollgate/client'
import { createHmac } from 'node:crypto'
import { TOKEN_PARAMETERS } from '../../../packages/gateway/src/http/tokens/token-parameters.ts'
import { TOKEN_REFUSALS } from '../../../packages/gateway/src/http/tokens/token-refusals.ts'
import { tokenRequest } from '../../../test/support/tokens.ts'
import type { Chance } from '../../torture/chance.ts'
import { encodeForm, RAW_PAIRS, type Pair } from '../form-case.ts'
import { readAnswers, STATUSES, type HttpAnswer } from '../http-answers.ts'
import { exchange } from '../http-exchange.ts'
import { readFlatAnswer } from '../payment-answer.ts'
import { shorterLists, tryInputs, type Target } from '../target.ts'
import { startWatchdog } from '../watchdog.ts'
import { absurdValue } from '../wild-values.ts'

const LANES = 4
const MADE = [
  'TOKEN_GUID',
  'CARD_BRAND_NAME',
  'CARD_TYPE',
  'CARD_BANK',
  'CARD_COUNTRY',
  'CARD_ACCOUNT_FUND_SOURCE',
  'CARD_CLASS',
  'TOKEN_IP',
  'TOKEN_REQID',
].join()
const REFUSED = 'ERROR_CODE,ERROR_MESSAGE,TOKEN_REQID'
const CODES = new Set(Object.values(TOKEN_REFUSALS).map(({ code }) => String(code)))
const FAULT = String(TOKEN_REFUSALS.system_error.code)
const SITES = [1001, 1001, 1002, 1003, 9, 0] as const
const POSTS = Array.from({ length: 15 }, () => 'POST')

interface TokenCase {
  readonly method: string
  readonly headers: readonly Pair[]
  readonly pairs: readonly Pair[]
  /** Everything is in the address instead of body and headers. */
  readonly inQuery: boolean
}

/** The token service: signed forms, and errors of form, signature, time or method. */
export const target: Target = {
  name: 'tokens',
  what: 'requests for card tokens: wrong forms, signatures, times, headers and methods',
  needs: 'program',
  async fuzz(run, program) {
    const watchdog = startWatchdog(program.httpPort)
    const check = async (sent: TokenCase): Promise<string | null> => {
      const bytes = bytesOf(sent)
      const isTls = bytes.length % 8 === 0
      const signIn = { port: isTls ? program.tlsPort : program.httpPort, isTls }
      const done = await exchange(signIn, [bytes], watchdog)
      if (done.hung) return 'There was no answer while others had theirs.'
      const hasHead = sent.method === 'HEAD'
      const { answers, wrong } = readAnswers(done.bytes, { hasHead, mayBeCut: done.wasReset })
      if (wrong !== null) return wrong
      const [answer] = answers
      if (answer === undefined || answers.length !== 1) {
        return done.wasReset ? null : `There were ${answers.length} answers.`
      }
      run.note(inWords(answer))
      return wrongIn(sent, answer) ?? watchdog.wrong() ?? program.deaths()[0] ?? null
    }
    try {
      return await tryInputs(
        run,
        {
          make,
          check,
          *smaller(given) {
            for (const pairs of shorterLists(given.pairs)) yield { ...given, pairs }
            for (const headers of shorterLists(given.headers)) yield { ...given, headers }
          },
          show: (given) => bytesOf(given).toString('latin1'),
        },
        LANES,
      )
    } finally {
      await watchdog.stop()
    }
  },
}

function make(chance: Chance): TokenCase {
  const { form, headers: signed } = tokenRequest({}, { siteId: chance.pick(SITES) })
  let pairs: Pair[] = [...form].map(([name, value]) => ({ name, value }))
  let headers: Pair[] = Object.entries(signed).map(([name, value]) => ({ name, value }))
  if (chance.happens(0.5))
    pairs.push({ name: 'CARD_CVV', value: chance.pick(['123', '1234', '12', 'abc']) })
  if (chance.happens(0.6)) {
    pairs.push({
      name: 'REQUEST_RESPONSE_FORMAT',
      value: chance.pick(['JSON', 'XML', 'xml', 'PIPES']),
    })
  }
  for (let change = chance.pick([0, 0, 0, 1, 1, 2, 3]); change > 0; change -= 1) {
    if (chance.happens(0.3)) headers = changed(headers, chance)
    else pairs = changed(pairs, chance)
  }
  const method = chance.pick([...POSTS, 'GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])
  return { method, headers, pairs, inQuery: method === 'GET' || chance.happens(0.05) }
}

function changed(pairs: readonly Pair[], chance: Chance): Pair[] {
  const at = chance.between(0, pairs.length - 1)
  const pair = pairs[at]
  if (pair === undefined) return [...pairs]
  const value = (next: string): Pair[] => pairs.with(at, { ...pair, value: next })
  switch (chance.between(0, 8)) {
    case 0:
      return pairs.toSpliced(at, 1)
    case 1:
      return [...pairs, pair]
    case 2:
      return value(absurdValue(chance))
    case 3:
      return value(pair.value.slice(0, -1))
    case 4:
      return value(pair.value + chance.pick(['0', ' ', 'g', '\u00e9']))
    case 5:
      return value([...pair.value].toReversed().join(''))
    case 6:
      return pairs.with(at, { ...pair, name: chance.pick(TOKEN_PARAMETERS).name })
    case 7:
      return value(pair.value.toUpperCase())
    default:
      return [...pairs, chance.pick(RAW_PAIRS)]
  }
}

function bytesOf({ method, headers, pairs, inQuery }: TokenCase): Buffer {
  const body = inQuery ? Buffer.alloc(0) : encodeForm(pairs)
  const query = inQuery
    ? `?${encodeForm([...pairs, ...headers])
        .toString('latin1')
        .replace(/[^!-~]/g, '')}`
    : ''
  const lines = [
    `${method} /payment/token_service.cfm${query} HTTP/1.1`,
    'Host: localhost',
    'Origin: https://shop.example',
    ...headers.map(
      ({ name, value }) => `${token(name)}: ${value.replace(/[^\u0020-\u007e\u0080-\u00ff]/g, '')}`,
    ),
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

/** A name that may stand in front of a header's colon. */
function token(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]/g, '') || 'X'
}

function wrongIn(sent: TokenCase, answer: HttpAnswer): string | null {
  const { status, headers, body } = answer
  if (!STATUSES.has(status)) return `The status is ${status}.`
  const isBare = (status === 204 && sent.method === 'OPTIONS') || sent.method === 'HEAD'
  // Headers or an address that are too long are refused below the address.
  if (body === '')
    return isBare || status === 400 || status === 431 ? null : `${status} has no body.`
  if (status === 400 && headers.get('content-type')?.startsWith('text/plain') === true) return null
  let record: ReadonlyMap<string, string>
  try {
    record = readFlatAnswer(answer, 'response')
  } catch (error) {
    return `${String(error)} The body: ${body.slice(0, 500)}`
  }
  const layout = [...record.keys()].join()
  if (layout !== MADE && layout !== REFUSED) return `The fields are ${layout}.`
  const code = record.get('ERROR_CODE')
  if (code === FAULT || (code !== undefined && !CODES.has(code))) return `ERROR_CODE is ${code}.`
  if (code !== undefined) return null
  return wrongInToken(sent, answer, record)
}

/**
 * A token is returned for one signature of this site over the sent form, and its answer is signed
 * too.
 */
function wrongInToken(
  { headers, pairs, inQuery }: TokenCase,
  answer: HttpAnswer,
  record: ReadonlyMap<string, string>,
): string | null {
  const all = inQuery ? [...pairs, ...headers] : pairs
  const find = (list: readonly Pair[], name: string): string =>
    list.find((pair) => pair.name.toUpperCase() === name && pair.value !== '')?.value.trim() ?? ''
  const signs = inQuery ? all : headers
  const siteKey = `sandbox-site-key-${find(all, 'SITE_ID')}`
  const message = find(signs, 'X-TIMESTAMP') + find(all, 'UNIQUE_ID') + find(all, 'SITE_ID')
  const due = createHmac('sha256', siteKey).update(message, 'latin1').digest('hex')
  if (find(signs, 'X-SIGNATURE').toLowerCase() !== due)
    return 'A token was given for a wrong signature.'
  if (!/^[0-9A-F]{40}$/.test(record.get('TOKEN_GUID') ?? '')) return 'TOKEN_GUID is none.'
  if (answer.body.includes(find(all, 'CARD_PAN'))) return 'The answer holds the card number.'
  const genuine = isTokenAnswerGenuine({
    siteKey,
    body: answer.body,
    timestamp: answer.headers.get('x-timestamp') ?? null,
    signature: answer.headers.get('x-signature') ?? null,
  })
  return genuine ? null : 'The answer with the token is not signed as it should be.'
}

function inWords({ status, body }: HttpAnswer): string {
  if (status !== 200) return `HTTP ${status}`
  const code = /ERROR_CODE"?[:>]"?([0-9]+)/.exec(body)?.[1]
  return code === undefined ? 'a token' : `ERROR_CODE ${code}`
}
