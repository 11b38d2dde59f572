import { ACTION_NAMES } from '../../../packages/gateway/src/http/payment/actions.ts'
import {
  encodeForm,
  makeForm,
  merchantOf,
  requestBytes,
  type FormCase,
  type KnownIds,
} from '../form-case.ts'
import { readAnswers, STATUSES, type HttpAnswer } from '../http-answers.ts'
import { exchange } from '../http-exchange.ts'
import { readPaymentAnswer, wrongInAnswer } from '../payment-answer.ts'
import { shorterLists, tryInputs, type Target } from '../target.ts'
import { startWatchdog } from '../watchdog.ts'

const LANES = 4
const KEPT = 60
const EXPECTED_OF_ORDERS = new Set(['CCCAPTURE', 'CCCREDIT', 'CCREVERSE', 'CCREVERSECAP'])

/** Forms of every action, valid except for random changes, over plain HTTP and TLS. */
export const target: Target = {
  name: 'forms',
  what: 'forms of every action: right, nearly right and absurd values of every parameter',
  needs: 'program',
  async fuzz(run, program) {
    const watchdog = startWatchdog(program.httpPort)
    const learned = new Learned()
    const check = async ({ pairs, contentType }: FormCase): Promise<string | null> => {
      const body = encodeForm(pairs)
      const isTls = body.length % 8 === 0
      const signIn = { port: isTls ? program.tlsPort : program.httpPort, isTls }
      const done = await exchange(signIn, [requestBytes(body, contentType)], watchdog)
      if (done.hung) return 'There was no answer while others had theirs.'
      const { answers, wrong } = readAnswers(done.bytes)
      if (wrong !== null) return wrong
      const [answer] = answers
      if (answers.length !== 1 || answer === undefined)
        return `There were ${answers.length} answers.`
      if (!STATUSES.has(answer.status)) return `The status is ${answer.status}.`
      run.note(inWords(answer))
      const faulty =
        wrongInAnswer(answer, null) ?? learned.wrongAbout(pairs, readPaymentAnswer(answer).record)
      if (faulty !== null) return `Status ${answer.status}: ${faulty}`
      return watchdog.wrong() ?? firstOf(program.deaths())
    }
    try {
      return await tryInputs(
        run,
        {
          make: (chance) => makeForm(chance, learned),
          check,
          *smaller(form) {
            for (const pairs of shorterLists(form.pairs)) yield { ...form, pairs }
            for (const [at, pair] of form.pairs.entries()) {
              const value = pair.value.slice(0, pair.value.length >> 1)
              if (value !== pair.value)
                yield { ...form, pairs: form.pairs.with(at, { ...pair, value }) }
            }
          },
          show: ({ pairs, contentType }) =>
            `content-type ${JSON.stringify(contentType)}, body\n${encodeForm(pairs).toString('latin1')}`,
        },
        LANES,
      )
    } finally {
      await watchdog.stop()
    }
  },
}

/** An answer by action and state or code, for the tally. */
function inWords(answer: HttpAnswer): string {
  if (answer.status !== 200) return `HTTP ${answer.status}`
  let record: ReadonlyMap<string, string> | null = null
  try {
    record = readPaymentAnswer(answer).record
  } catch {
    return 'something unreadable'
  }
  if (record === null) return 'the events of an order'
  const state = record.get('TRANS_STATUS_NAME') ?? ''
  const code = record.get('API_RESPONSE') ?? ''
  const known = ACTION_NAMES.includes(record.get('REQUEST_ACTION') ?? '')
  if (state !== '') return `${known ? record.get('REQUEST_ACTION') : 'other'} ${state}`
  return code === '0' ? `SERVICE ${record.get('SERVICE_RESPONSE')}` : `API ${code}`
}

function firstOf(sentences: readonly string[]): string | null {
  return sentences[0] ?? null
}

/** The contents of earlier answers, for later forms and for contradictions. */
class Learned implements KnownIds {
  readonly orders = new Map<string, string[]>()
  readonly customers: string[] = []
  readonly lines: string[] = []
  readonly #ownerOf = new Map<string, string>()

  /** The contradiction between an answer and earlier ones; and remembers the answer. */
  wrongAbout(pairs: FormCase['pairs'], record: ReadonlyMap<string, string> | null): string | null {
    if (record?.get('TRANS_STATUS_NAME') !== 'APPROVED') return null
    const sent = (name: string) => pairs.filter((pair) => pair.name.toUpperCase() === name)
    const [site] = sent('SITE_ID')
    const merchant = merchantOf(site?.value.trim() ?? '')
    const orderId = record.get('PO_ID') ?? ''
    const owner = this.#ownerOf.get(orderId)
    if (owner !== undefined && owner !== merchant) {
      return `Order ${orderId} of merchant ${owner} was shown to merchant ${merchant}.`
    }
    this.#ownerOf.set(orderId, merchant)
    const asked = (sent('REQUEST_ACTION')[0]?.value ?? '').toUpperCase()
    if (EXPECTED_OF_ORDERS.has(asked)) return null
    const list = this.orders.get(merchant) ?? []
    this.orders.set(merchant, list)
    keep(list, orderId)
    keep(this.customers, record.get('CUST_ID') ?? '')
    keep(this.lines, record.get('PO_LI_ID_1') ?? '')
    return null
  }
}

function keep(list: string[], value: string): void {
  list.push(value)
  if (list.length > KEPT) list.shift()
}
