import type { Chance } from '../../torture/chance.ts'
import { readAnswers, type HttpAnswer } from '../http-answers.ts'
import { exchange } from '../http-exchange.ts'
import { tryInputs, type Target } from '../target.ts'
import { startWatchdog } from '../watchdog.ts'
import { absurdValue } from '../wild-values.ts'

const LANES = 4
/** Cards of no other use, so that one in an answer or a metric came from here. */
const NUMBERS = ['4012885714936282', '5555554819372651', '371449638291746'] as const
const NUMBER = new RegExp(NUMBERS.map((digits) => digits.slice(0, 12)).join('|'))
const SITES = [
  '1001',
  '1002',
  '1003',
  '9',
  '0',
  '',
  '-1',
  '1001x',
  '999999999999999999',
  '9'.repeat(40),
] as const
/** As docs/internals/fuzz.md has them, except those of forms; 500 is not among them. */
const STATUSES: ReadonlySet<number> = new Set([200, 204, 400, 404, 405, 413, 415, 431, 503])
const TYPES = [
  'application/csp-report',
  'application/csp-report',
  'application/json',
  'application/reports+json',
  'text/plain',
  '',
] as const
const DIRECTIVES = [
  'script-src',
  'style-src-elem',
  'frame-ancestors',
  'x-src',
  '__proto__',
  'constructor',
] as const
/** The counters of one name may have one label for each directive that is known, and `other`. */
const MOST_LABELS = 16

interface PageCase {
  readonly method: string
  readonly target: string
  readonly type: string
  readonly body: string
}

/** The page with the card fields, its files, and the address of the browsers' violation reports. */
export const target: Target = {
  name: 'field-page',
  what: 'addresses and queries of the page with the card fields, and reports of browsers about it',
  needs: 'program',
  async fuzz(run, program) {
    const watchdog = startWatchdog(program.httpPort)
    const check = async (sent: PageCase): Promise<string | null> => {
      const bytes = bytesOf(sent)
      const isTls = bytes.length % 8 === 0
      const done = await exchange(
        { port: isTls ? program.tlsPort : program.httpPort, isTls },
        [bytes],
        watchdog,
      )
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
      run.note(`${sent.method} ${answer.status}`)
      return wrongIn(sent, answer) ?? watchdog.wrong() ?? program.deaths()[0] ?? null
    }
    try {
      const found = await tryInputs(
        run,
        {
          make,
          check,
          *smaller(given) {
            for (const part of ['target', 'body'] as const) {
              const half = Math.ceil(given[part].length / 2)
              if (half > 1) yield { ...given, [part]: given[part].slice(0, half) }
              if (half > 1) yield { ...given, [part]: given[part].slice(0, -1) }
            }
          },
          show: (given) => bytesOf(given).toString('latin1'),
        },
        LANES,
      )
      return found ?? inMetrics(await program.metrics())
    } finally {
      await watchdog.stop()
    }
  },
}

function make(chance: Chance): PageCase {
  const plain = { type: '', body: '' }
  const method = chance.pick(['GET', 'GET', 'GET', 'HEAD', 'POST', 'PUT', 'OPTIONS', 'DELETE'])
  switch (chance.between(0, 3)) {
    case 0:
    case 1:
      return { ...plain, method, target: `/pay/field.html${query(chance)}` }
    case 2: {
      const last = chance.pick([
        'fields.js',
        '1/fields.js',
        '2/fields.js',
        '3/fields.js',
        'field.html/',
        '%2e%2e/x',
        '%zz',
        word(chance),
      ])
      return {
        ...plain,
        method,
        target: `/pay/${encodeOnce(last)}${chance.happens(0.3) ? query(chance) : ''}`,
      }
    }
    default:
      return {
        method: chance.happens(0.9) ? 'POST' : method,
        target: `/pay/violations${chance.happens(0.2) ? query(chance) : ''}`,
        type: chance.pick(TYPES),
        body: report(chance),
      }
  }
}

function query(chance: Chance): string {
  const pairs = Array.from({ length: chance.between(0, 4) }, () => {
    const name = chance.pick([
      'site',
      'site',
      'site',
      'SITE',
      'site[]',
      'origin',
      'number',
      '__proto__',
      '',
    ])
    const value = chance.happens(0.6) ? chance.pick(SITES) : word(chance)
    return `${encodeOnce(name)}=${chance.happens(0.05) ? '%zz%' : encodeOnce(value)}`
  })
  return pairs.length === 0 ? chance.pick(['', '?', '?site', '?&&']) : `?${pairs.join('&')}`
}

function report(chance: Chance): string {
  const directive = chance.happens(0.5) ? chance.pick(DIRECTIVES) : word(chance)
  const inner = {
    'document-uri': `https://shop.example/?n=${word(chance)}`,
    'effective-directive': directive,
    'violated-directive': word(chance),
    'blocked-uri': word(chance),
    'script-sample': word(chance),
  }
  const text = JSON.stringify(chance.happens(0.8) ? { 'csp-report': inner } : [inner])
  switch (chance.between(0, 5)) {
    case 0:
      return text.slice(0, chance.between(0, text.length))
    case 1:
      return text.repeat(chance.between(2, 80))
    case 2:
      return word(chance)
    default:
      return text
  }
}

function word(chance: Chance): string {
  return chance.happens(0.5) ? chance.pick(NUMBERS) : absurdValue(chance).slice(0, 2_000)
}

/** A text as it may stand in an address; half of a surrogate pair may not. */
function encodeOnce(text: string): string {
  return text.startsWith('%') ? text : encodeURIComponent(text.toWellFormed())
}

function bytesOf({ method, target: address, type, body }: PageCase): Buffer {
  const content = Buffer.from(body)
  const lines = [
    `${method} ${address} HTTP/1.1`,
    'Host: localhost',
    ...(type === '' ? [] : [`Content-Type: ${type}`]),
    ...(method === 'GET' || method === 'HEAD' ? [] : [`Content-Length: ${content.length}`]),
    'Connection: close',
  ]
  const hasBody = method !== 'GET' && method !== 'HEAD'
  return Buffer.concat([
    Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'),
    hasBody ? content : Buffer.alloc(0),
  ])
}

function wrongIn(
  { method, target: address }: PageCase,
  { status, headers, body }: HttpAnswer,
): string | null {
  if (!STATUSES.has(status)) return `The status is ${status}.`
  const [line] = [...headers].filter(([, value]) => NUMBER.test(value))
  if (line !== undefined) return `The header line ${line[0]} holds a card number.`
  if (NUMBER.test(body)) return 'The answer holds a card number.'
  const isPage =
    address.startsWith('/pay/field.html') &&
    (headers.get('content-type') ?? '').startsWith('text/html')
  if (!isPage || method === 'HEAD') return null
  const policy = headers.get('content-security-policy') ?? ''
  // Any page may embed the page without card fields.
  const isGuarded = status !== 200 || /frame-ancestors/.test(policy)
  if (!/default-src 'none'/.test(policy) || !isGuarded) return `The page has the policy ${policy}.`
  if (status === 200 && !/data-site="(?:1001|1002|1003)"/.test(body))
    return 'There is a page for a site that there is not.'
  return null
}

/** Texts of browsers must not become labels: each label is kept for as long as the gateway runs. */
function inMetrics(metrics: string): { readonly what: string; readonly input: string } | null {
  const labels = metrics
    .split('\n')
    .filter((line) => line.startsWith('tollgate_card_page_violations_total{'))
  const input = labels.join('\n')
  if (NUMBER.test(metrics)) return { what: 'The metrics hold a card number.', input }
  if (labels.length > MOST_LABELS)
    return { what: `Reports made ${labels.length} labels of a metric.`, input }
  return labels.length > 0 ? null : { what: 'No report was counted.', input: metrics.slice(0, 500) }
}
