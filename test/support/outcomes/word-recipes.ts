import { readFileSync } from 'node:fs'
import { MERCHANT_ADVICE } from '../../../packages/gateway/src/domain/memberships/network-rules.ts'
import { MASTERCARD } from '../payments.ts'
import type { Form } from './answer.ts'
import { CARD_GROUPS } from './card-groups.ts'
import { responseCodes } from './code-groups.ts'
import type { Sweep } from './sweep.ts'

const AT_ONCE = 40

/** SERVICE by DE 39, as docs/codes.md publishes it. */
function publishedServices(): ReadonlyMap<string, string> {
  const page = readFileSync(new URL('../../../docs/codes.md', import.meta.url), 'utf8')
  const rows = page.slice(page.indexOf('## Bank codes')).matchAll(/^\| (\w\w) \| (\d{3}) \|/gm)
  return new Map([...rows].map(([, code = '', service = '']) => [code, service]))
}

const UNLISTED = '600'
/** DE 39 that are no refusals, with status, SERVICE, PROCESSOR and amount of a sale of 20.00. */
const OTHERS: Readonly<Record<string, string>> = {
  '00': 'APPROVED 100 0 20',
  '08': 'APPROVED 100 0 20',
  '11': 'APPROVED 100 0 20',
  '85': 'APPROVED 100 0 20',
  '10': 'APPROVED 100 0 10',
  '68': 'FAILED 502 0 20',
}

interface WordCase {
  readonly words: string
  readonly more?: Form
  readonly expected: string
}

/** Sends all cases, forty at a time, and returns those that did not end as expected. */
async function misses(
  { pay }: Sweep,
  cases: readonly WordCase[],
  names: readonly string[],
): Promise<string[]> {
  const wrong: string[] = []
  for (let from = 0; from < cases.length; from += AT_ONCE) {
    const group = cases.slice(from, from + AT_ONCE)
    await Promise.all(
      group.map(async ({ expected, more, words }) => {
        const { fields } = await pay({ LI_VALUE_1: '20.00', SANDBOX_TEST: words, ...more })
        const found = names.map((name) => fields[name]).join(' ')
        if (found !== expected) wrong.push(`${words}: ${found}, expected ${expected}`)
      }),
    )
  }
  return wrong
}

/** A sale for each response code of the bank; returns those that were answered otherwise. */
export async function sendEveryCode(sweep: Sweep): Promise<string[]> {
  const services = publishedServices()
  const codes = responseCodes()
  const cases = codes.map((code): WordCase => {
    const refused = `DECLINED ${services.get(code) ?? UNLISTED} ${code} 20`
    const more = code === '10' ? { PARTIAL_AUTH: '1' } : {}
    return { words: `de39=${code}`, more, expected: OTHERS[code] ?? refused }
  })
  const names = ['TRANS_STATUS_NAME', 'SERVICE_RESPONSE', 'PROCESSOR_RESPONSE', 'TRANS_VALUE']
  const wrong = await misses(sweep, cases, names)
  for (const code of codes) {
    if (!wrong.some((miss) => miss.startsWith(`de39=${code}:`))) sweep.see('issuer', code)
  }
  return wrong
}

/** A sale for each letter of AVS and CVV; returns those that were answered otherwise. */
export function sendEveryLetter(sweep: Sweep): Promise<string[]> {
  const results = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ123456789']
  const cases = results.map((avs, at): WordCase => {
    const cvv = results[(at + 7) % results.length] ?? ''
    return { words: `avs=${avs}; cvv=${cvv}`, expected: `APPROVED 100 ${avs} ${cvv}` }
  })
  cases.push({ words: 'avs=0;cvv=0', expected: 'APPROVED 100  ' })
  const judged = { CHKAVS: 'T', AVSMATCHSET: 'Y', PMT_KEY: '123' }
  cases.push({ words: 'avs=N', more: judged, expected: 'DECLINED 623 N M' })
  const names = ['TRANS_STATUS_NAME', 'SERVICE_RESPONSE', 'AVS_RESPONSE', 'CVV_RESPONSE']
  return misses(sweep, cases, names)
}

/** A decline for each advice code, and the words that need one request. */
export async function sendEveryWord(sweep: Sweep): Promise<void> {
  const { pay, see, send } = sweep
  const advices = [...CARD_GROUPS.advice.documented, ...Object.keys(MERCHANT_ADVICE)]
  await Promise.all(
    [...new Set(advices)].map((code) => pay({ PMT_NUMB: MASTERCARD, SANDBOX_TEST: `mac=${code}` })),
  )
  await pay({ SANDBOX_TEST: 'de39=1A' })
  await pay({ PMT_NUMB: '4111111111111112' })
  await send({ REQUEST_ACTION: 'TESTGW' })
  const once: readonly (readonly [
    word: string,
    group: 'bankFaults' | 'shopFaults',
    said: string,
  ])[] = [
    ['issuer=stand-in', 'bankFaults', 'APPROVED 0 100'],
    ['issuer=down', 'bankFaults', 'DECLINED 0 530'],
    ['shop=late', 'shopFaults', 'APPROVED 0 100'],
    ['shop=http-503', 'shopFaults', '  503'],
    ['shop=http-429', 'shopFaults', ' 0 215'],
    ['shop=api-120', 'shopFaults', ' 120 0'],
  ]
  for (const [word, group, said] of once) {
    const words = word === 'shop=late' ? 'shop=late; shop-delay=10ms' : word
    const { fields } = await pay({ SANDBOX_TEST: words })
    const { API_RESPONSE: api, SERVICE_RESPONSE: service, TRANS_STATUS_NAME: status } = fields
    if (`${status ?? ''} ${api} ${service}` === said) see(group, word)
  }
}
