import {
  BROWSER,
  createThreeDsShop,
  readPayload,
  type Changes,
} from '../../../test/three-ds/support/shop.ts'
import { untilRangesAreKnown } from '../../../test/three-ds/support/world.ts'
import type { Chance } from '../../torture/chance.ts'
import { encodeForm, type Pair } from '../form-case.ts'
import { readAnswers, type HttpAnswer } from '../http-answers.ts'
import { exchange } from '../http-exchange.ts'
import { shorterLists, tryInputs, type Target } from '../target.ts'
import { startWatchdog } from '../watchdog.ts'
import { absurdValue } from '../wild-values.ts'

const LANES = 4
const FORM = 'application/x-www-form-urlencoded'
/** As docs/internals/fuzz.md has them; 500 is not among them. */
const STATUSES: ReadonlySet<number> = new Set([200, 204, 400, 404, 405, 413, 415, 429, 431, 503])
const CHALLENGED = '4000000000002503'
const PREPARE = '/payment/3dsrequest.cfm'
/** Addresses of pages, and the fields that each reads. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  '/V2/Cruise/Collect': ['JWT', 'Bin', 'DDC_REFERENCEID'],
  '/V2/Cruise/Collect/data': [
    'handle',
    'language',
    'javaEnabled',
    'colorDepth',
    'screenHeight',
    'screenWidth',
    'timeZone',
  ],
  '/V2/Cruise/MethodNotify': ['threeDSMethodData'],
  '/V2/Cruise/StepUp': ['JWT', 'MD'],
  '/V2/Cruise/Term': ['cres', 'threeDSSessionData'],
}

interface ThreeDsCase {
  readonly method: string
  readonly path: string
  readonly type: string
  readonly pairs: readonly Pair[]
}

/** Texts that mean something, to be damaged. */
interface Known {
  readonly tokens: readonly string[]
  readonly messages: readonly object[]
  readonly prepare: Changes
}

/**
 * Messages of shops and browsers for 3-D Secure: requests for it, tokens, and messages that
 * browsers carry.
 */
export const target: Target = {
  name: 'three-ds',
  what: 'requests to 3dsrequest.cfm, and tokens and messages that browsers bring to the pages of 3-D Secure',
  needs: 'program',
  async fuzz(run, program) {
    const known = await learn(program.httpPort)
    const watchdog = startWatchdog(program.httpPort)
    const check = async (sent: ThreeDsCase): Promise<string | null> => {
      const bytes = bytesOf(sent)
      const isTls = bytes.length % 8 === 0
      const signIn = { port: isTls ? program.tlsPort : program.httpPort, isTls }
      const done = await exchange(signIn, [bytes], watchdog)
      if (done.hung) return 'There was no answer while others had theirs.'
      const { answers, wrong } = readAnswers(done.bytes, {
        hasHead: sent.method === 'HEAD',
        mayBeCut: done.wasReset,
      })
      if (wrong !== null) return wrong
      const [answer] = answers
      if (answer === undefined || answers.length !== 1) {
        return done.wasReset ? null : `There were ${answers.length} answers.`
      }
      run.note(`${sent.path.replace(/\?.*/, '')} ${answer.status}`)
      return wrongIn(sent, answer) ?? watchdog.wrong() ?? program.deaths()[0] ?? null
    }
    try {
      return await tryInputs(
        run,
        {
          make: (chance) => make(chance, known),
          check,
          *smaller(given) {
            for (const pairs of shorterLists(given.pairs)) yield { ...given, pairs }
            for (const [at, pair] of given.pairs.entries()) {
              const value = pair.value.slice(0, pair.value.length >> 1)
              if (value !== pair.value)
                yield { ...given, pairs: given.pairs.with(at, { ...pair, value }) }
            }
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

/** A session and a pending payment, so that some damaged messages were whole before. */
async function learn(port: number): Promise<Known> {
  const shop = createThreeDsShop({ baseUrl: `http://127.0.0.1:${port}` })
  await untilRangesAreKnown(shop)
  const prepared = await shop.prepare(CHALLENGED)
  const { answer } = await shop.enrol(CHALLENGED)
  const tokens = [prepared['JWT'] ?? '', answer['P3DS_PAYLOAD'] ?? ''].filter(
    (token) => token !== '',
  )
  const id = crypto.randomUUID()
  const cres = {
    messageType: 'CRes',
    messageVersion: '2.2.0',
    threeDSServerTransID: id,
    acsTransID: id,
    challengeCompletionInd: 'Y',
    transStatus: 'Y',
  }
  const creq =
    answer['P3DS_PAYLOAD'] === undefined
      ? {}
      : (JSON.parse(Buffer.from(readPayload(answer).creq, 'base64url').toString()) as object)
  return {
    tokens,
    messages: [
      cres,
      { ...cres, ...creq, messageType: 'CRes' },
      { threeDSServerTransID: id },
      { messageType: 'Erro', errorCode: '203' },
    ],
    prepare: {
      REQ_USERNAME: 'demo@tollgate.test',
      REQ_PASSWORD: 'Sandbox-4.14-demo',
      SITE_ID: '1001',
      REQUEST_API_VERSION: '4.14',
      MERCH_ACCT_ID: '2001',
      PMT_BIN: '400000',
      ...BROWSER,
    },
  }
}

function make(chance: Chance, known: Known): ThreeDsCase {
  const method = chance.pick([
    'POST',
    'POST',
    'POST',
    'POST',
    'POST',
    'POST',
    'GET',
    'HEAD',
    'PUT',
    'OPTIONS',
  ])
  const type = chance.happens(0.9)
    ? FORM
    : chance.pick([
        '',
        'text/plain',
        'application/json',
        `${FORM}; charset=utf-16`,
        'multipart/form-data',
      ])
  const path = chance.happens(0.35) ? PREPARE : chance.pick(Object.keys(PAGES))
  let pairs: Pair[] =
    path === PREPARE ? preparePairs(chance, known) : pagePairs(path, chance, known)
  if (chance.happens(0.1)) pairs = [...pairs, ...pairs]
  if (chance.happens(0.1))
    pairs = [...pairs, { name: absurdValue(chance).slice(0, 200), value: absurdValue(chance) }]
  const query = chance.happens(0.05) ? `?JWT=${encodeURIComponent(chance.pick(known.tokens))}` : ''
  return { method, path: path + query, type, pairs }
}

function preparePairs(chance: Chance, known: Known): Pair[] {
  let pairs = Object.entries(known.prepare).map(([name, value]) => ({ name, value: value ?? '' }))
  for (let change = chance.pick([0, 0, 1, 1, 2, 3]); change > 0; change -= 1) {
    const at = chance.between(0, pairs.length - 1)
    const pair = pairs[at]
    if (pair === undefined) break
    if (chance.happens(0.3)) pairs = pairs.toSpliced(at, 1)
    else
      pairs = pairs.with(at, {
        ...pair,
        value: chance.happens(0.5) ? absurdValue(chance) : changed(pair.value, chance),
      })
  }
  const more = chance.pick([
    '',
    'PMT_NUMB',
    'CUST_ID',
    'PMT_ID',
    'TOKEN_GUID',
    'REQUEST_CURRENCY',
    'BILL_ADDR_COUNTRY',
    'REQUEST_RESPONSE_FORMAT',
  ])
  return more === ''
    ? pairs
    : [
        ...pairs,
        {
          name: more,
          value: chance.pick([
            '4000000000002503',
            '400000',
            '1',
            'USD',
            'US',
            'XML',
            absurdValue(chance),
          ]),
        },
      ]
}

function pagePairs(path: string, chance: Chance, known: Known): Pair[] {
  return (PAGES[path] ?? []).map((name) => {
    switch (name) {
      case 'JWT':
        return { name, value: token(chance, known) }
      case 'cres':
      case 'threeDSMethodData':
        return { name, value: message(chance, known) }
      default:
        return { name, value: absurdValue(chance) }
    }
  })
}

function token(chance: Chance, known: Known): string {
  const whole = chance.pick(known.tokens)
  const parts = whole.split('.')
  if (chance.happens(0.3)) return whole
  switch (chance.between(1, 6)) {
    case 1:
      return changed(whole, chance)
    case 2:
      return parts.with(chance.between(0, 2), base64(absurdValue(chance))).join('.')
    case 3:
      return [
        base64(
          JSON.stringify({
            alg: chance.pick(['none', 'HS256', 'ES256', 'RS256', '']),
            typ: chance.pick(['ddc+jwt', 'stepup+jwt', '']),
            kid: absurdValue(chance).slice(0, 50),
          }),
        ),
        parts[1] ?? '',
        chance.pick(['', parts[2] ?? '']),
      ].join('.')
    case 4:
      return whole.repeat(chance.between(2, 30))
    case 5:
      return parts.slice(0, chance.between(0, 2)).join('.')
    default:
      return absurdValue(chance)
  }
}

function message(chance: Chance, known: Known): string {
  const text = JSON.stringify(chance.pick(known.messages))
  switch (chance.between(0, 6)) {
    case 0:
      return base64(text)
    case 1:
      return base64(changed(text, chance))
    case 2:
      return changed(base64(text), chance)
    case 3:
      return base64(
        text.replace(
          '"transStatus":"Y"',
          '"transStatus":"Y","transStatus":"N","__proto__":{"x":1}',
        ),
      )
    case 4:
      return base64(`${'['.repeat(chance.between(1, 9_000))}`)
    case 5:
      return `${base64(text)}${chance.pick(['=', '==', '===', ' ', '\u0000', '+/'])}`
    default:
      return chance.happens(0.5) ? base64(absurdValue(chance)) : absurdValue(chance)
  }
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64url')
}

function changed(text: string, chance: Chance): string {
  const at = chance.between(0, text.length)
  switch (chance.between(0, 3)) {
    case 0:
      return text.slice(0, at)
    case 1:
      return (
        text.slice(0, at) +
        chance.pick(['\u0000', 'A', '"', '<', '\ufeff', '\ud800', '.', '{']) +
        text.slice(at)
      )
    case 2:
      return text.slice(0, at) + text.slice(at + 1)
    default:
      return [...text].toReversed().join('')
  }
}

function bytesOf({ method, path, type, pairs }: ThreeDsCase): Buffer {
  const body = method === 'GET' || method === 'HEAD' ? Buffer.alloc(0) : encodeForm(pairs)
  const lines = [
    `${method} ${path} HTTP/1.1`,
    'Host: localhost',
    ...(type === '' ? [] : [`Content-Type: ${type}`]),
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body])
}

function wrongIn(
  { path, pairs }: ThreeDsCase,
  { status, headers, body }: HttpAnswer,
): string | null {
  if (!STATUSES.has(status)) return `The status is ${status}.`
  if (path.startsWith(PREPARE))
    return /"?API_RESPONSE"?[:>]"?120/.test(body) ? 'API_RESPONSE is 120.' : null
  if (body === '') return null
  const policy = headers.get('content-security-policy') ?? ''
  if (status === 200 && !/default-src 'none'/.test(policy))
    return `A page has the policy ${policy}.`
  const echoed = pairs.find(
    ({ value }) => value.length > 8 && /[<>]/.test(value) && body.includes(value),
  )
  return echoed === undefined ? null : `The page holds ${echoed.name} as it was sent.`
}
