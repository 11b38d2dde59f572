import type { IncomingMessage } from 'node:http'
import {
  KEY,
  MERCHANT,
  ORDER_KEY,
  RRN,
  objectIn,
  oneOf,
  optional,
  refuse,
  text,
} from '../control/control-fields.ts'
import type { Json, TextForm } from '../control/control-fields.ts'
import { ControlRefusal, readJson } from '../control/control-request.ts'
import { MOVES } from './dispute-desk.ts'
import type { AnswerRequest, DisputeDesk } from './dispute-desk.ts'
import { RAISED } from './raise-case.ts'
import type { RaiseRequest } from './raise-case.ts'

/** All requests about disputes are under this address. */
export const DISPUTES_PATH = '/books/disputes'

/** An answer in JSON. Its notices may not be on the disk yet. */
export interface DisputeAnswer {
  readonly status: number
  readonly body: object
}

type Handler = (desk: DisputeDesk, body: Json) => Promise<DisputeAnswer>

const POSTS: Readonly<Record<string, Handler>> = {
  '': async (desk, body) => created(await desk.raise(raiseRequest(body))),
  '/answers': async (desk, body) => created(await desk.answer(answerRequest(body))),
  '/decisions': async (desk, body) => {
    const merchant = text(body, 'merchant', MERCHANT)
    const id = text(body, 'case', KEY)
    return created(await desk.decide(merchant, id, oneOf(body, 'verdict', VERDICTS)))
  },
  '/move': async (desk, body) => {
    const merchant = text(body, 'merchant', MERCHANT)
    const id = text(body, 'case', KEY)
    return created(await desk.move(merchant, id, oneOf(body, 'to', MOVES)))
  },
}

const VERDICTS = ['won', 'lost', 'escalate'] as const
const LONGEST_TEXT = 20_000
const MOST_FILES = 50
/** Room for the longest text, in any script, and the facts of the most files. */
const LONGEST_BODY_BYTES = 262_144

const MINOR: TextForm = {
  pattern: /^[1-9]\d{0,11}$/,
  expected: 'minor units in quotes, above zero',
}
const AFTER: TextForm = { pattern: /^\d{1,9}$/, expected: 'the number of a notice' }

/** Answers a request under `/books/disputes`. Throws ControlRefusal. */
export async function answerDisputes(
  desk: DisputeDesk,
  request: IncomingMessage,
  { pathname, searchParams }: URL,
): Promise<DisputeAnswer> {
  const { method = '' } = request
  const rest = pathname.slice(DISPUTES_PATH.length)
  if (method === 'GET' && rest === '') {
    const asked = Object.fromEntries(searchParams)
    const after = Number(optional(asked, 'after', AFTER) ?? 0)
    return { status: 200, body: { notices: desk.list(text(asked, 'merchant', MERCHANT), after) } }
  }
  const handler = method === 'POST' && Object.hasOwn(POSTS, rest) ? POSTS[rest] : undefined
  if (handler === undefined) {
    throw new ControlRefusal(404, `There is no ${method} ${pathname}. See docs/dispute-notices.md.`)
  }
  return handler(desk, objectIn(await readJson(request, LONGEST_BODY_BYTES)))
}

function created(notice: object): DisputeAnswer {
  return { status: 201, body: { notice } }
}

function raiseRequest(body: Json): RaiseRequest {
  const order = optional(body, 'order', ORDER_KEY)
  const rrn = optional(body, 'rrn', RRN)
  const caseId = optional(body, 'case', KEY)
  const minor = optional(body, 'minor', MINOR)
  if (order === null && rrn === null && caseId === null) {
    throw new ControlRefusal(400, 'Name the order by order or rrn, or an inquiry by case.')
  }
  return {
    merchant: text(body, 'merchant', MERCHANT),
    event: oneOf(body, 'event', RAISED),
    order,
    rrn,
    minor: minor === null ? null : BigInt(minor),
    reason: optional(body, 'reason', KEY),
    case: caseId,
  }
}

function answerRequest(body: Json): AnswerRequest {
  const { files = [], text: evidence = '' } = body
  if (typeof evidence !== 'string' || evidence.length > LONGEST_TEXT) {
    refuse('text', evidence, `a text of up to ${LONGEST_TEXT} characters`)
  }
  if (!Array.isArray(files) || files.length > MOST_FILES) {
    refuse('files', files, `an array of up to ${MOST_FILES} files`)
  }
  return {
    merchant: text(body, 'merchant', MERCHANT),
    case: text(body, 'case', KEY),
    id: text(body, 'id', KEY),
    answer: oneOf(body, 'answer', ['accept', 'contest']),
    text: evidence,
    files: files.map(fileFacts),
  }
}

const FILE_NAME: TextForm = { pattern: /^.{1,255}$/su, expected: 'a name of up to 255 characters' }
const HASH: TextForm = { pattern: /^[0-9a-f]{64}$/, expected: '64 hexadecimal digits' }

function fileFacts(value: unknown): object {
  const file = objectIn(value)
  const { bytes } = file
  if (typeof bytes !== 'number' || !Number.isSafeInteger(bytes) || bytes < 0) {
    refuse('bytes', bytes, 'the number of bytes of the file')
  }
  const name = text(file, 'name', FILE_NAME)
  return { name, type: text(file, 'type', FILE_NAME), sha256: text(file, 'sha256', HASH), bytes }
}
