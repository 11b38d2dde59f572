import { HTTP_LIMITS } from '../../../packages/gateway/src/http/servers/http-limits.ts'
import { readAnswers, STATUSES, type HttpAnswer } from '../http-answers.ts'
import { exchange, type Exchange } from '../http-exchange.ts'
import { wrongInAnswer } from '../payment-answer.ts'
import { makeRaw, smallerRaw, type RawCase } from '../raw-case.ts'
import { tryInputs, type Target } from '../target.ts'
import { startWatchdog } from '../watchdog.ts'

const LANES = 8
/** Answers with these come without a body, from below the payment address. */
const BODILESS = new Set([400, 408, 417, 431])

/** Bytes that are HTTP, nearly HTTP or none, at the plain and the TLS port. */
export const target: Target = {
  name: 'http',
  what: 'bytes that are HTTP, nearly HTTP or none: framing, smuggling, headers, pipelining, splits',
  needs: 'program',
  async fuzz(run, program) {
    const watchdog = startWatchdog(program.httpPort)
    const check = async (raw: RawCase): Promise<string | null> => {
      const port = raw.isTls ? program.tlsPort : program.httpPort
      const done = await exchange({ port, isTls: raw.isTls }, raw.pieces, watchdog, raw.ending)
      if (done.hung) return `${raw.shape}: the connection was not ended while others had answers.`
      const hasHead = raw.pieces.some((piece) => piece.includes('HEAD'))
      const { answers, wrong } = readAnswers(done.bytes, { mayBeCut: done.wasReset, hasHead })
      for (const { status } of answers) run.note(`${raw.shape}: ${status}`)
      if (answers.length === 0) run.note(`${raw.shape}: nothing`)
      const fault = wrong ?? answers.map(wrongInOne).find((sentence) => sentence !== null) ?? null
      if (fault !== null) return `${raw.shape}: ${fault}`
      const unexpected = wrongInNumber(raw, answers, done)
      return unexpected ?? watchdog.wrong() ?? program.deaths()[0] ?? null
    }
    try {
      return await tryInputs(
        run,
        {
          make: makeRaw,
          check,
          smaller: smallerRaw,
          show: ({ pieces, isTls, ending }) =>
            `${isTls ? 'TLS' : 'plain'}, then ${ending}, ${pieces.length} pieces:\n` +
            JSON.stringify(Buffer.concat(pieces).toString('latin1')),
        },
        LANES,
      )
    } finally {
      await watchdog.stop()
    }
  },
}

/** The violation in one answer at any address. */
function wrongInOne(answer: HttpAnswer): string | null {
  if (!STATUSES.has(answer.status)) return `The status is ${answer.status}.`
  if (BODILESS.has(answer.status) && answer.body === '') return null
  const type = answer.headers.get('content-type') ?? ''
  if (type.startsWith('text/plain') && !answer.body.includes('=')) return null
  // The token service has a layout of its own, which its own target checks.
  if (answer.body.includes('ERROR_CODE')) return null
  // The first page and its icon are the same for every request.
  if (/^(?:<!doctype html>|<svg )/.test(answer.body) && /^(?:text\/html|image\/svg)/.test(type)) {
    return null
  }
  const isHealth = type.startsWith('application/json') && answer.body.startsWith('{"status"')
  return isHealth || answer.body === '' ? null : wrongInAnswer(answer, null)
}

/** The violation in how many answers one connection had, and of what status. */
export function wrongInNumber(
  { expected, shape }: Pick<RawCase, 'expected' | 'shape'>,
  answers: readonly Pick<HttpAnswer, 'status'>[],
  { tookMs, wasReset }: Pick<Exchange, 'tookMs' | 'wasReset'>,
): string | null {
  if (expected === 'any') return null
  if (expected === 'refused') {
    const isRefused = answers.every(({ status }) => status >= 400) && answers.length <= 1
    if (isRefused) return null
    return `${shape}: a body of two lengths was answered ${answers.map(({ status }) => status).join()}.`
  }
  if (answers.length === expected && answers.every(({ status }) => status === 200)) return null
  // One request too many on one connection is not taken, and ends it.
  const taken = answers.slice(0, -1)
  const last = answers.at(-1)?.status
  const isOverfull = last === 503 && taken.length >= HTTP_LIMITS.pipelinedRequests
  // On a machine that sends the pieces too slowly, this run is a slow client.
  const isLate = last === 408 && tookMs >= HTTP_LIMITS.headersTimeoutMs
  if ((isOverfull || isLate) && taken.every(({ status }) => status === 200)) return null
  const statuses = answers.map(({ status }) => status).join()
  return `${shape}: ${expected} answers were due, and ${statuses || 'none'} came${wasReset ? ', then a reset' : ''}.`
}
