import type { SettledFile } from './settled-file.ts'

/** A notice, as either side has it. Amounts are minor units of the order's currency. */
export interface DisputeNotice {
  readonly account: string
  readonly n: number
  readonly id: string
  readonly caseId: string
  readonly event: string
  readonly minor: bigint
  /** The id of the merchant's answer that it acknowledges; '' for none. */
  readonly answer: string
}

/** A case, as either side has it. */
export interface DisputeCase {
  readonly account: string
  readonly id: string
  /** The gateway's word for its stage or its end. */
  readonly state: string
  /** The key of the order's authorization; '' for none. */
  readonly order: string
  readonly minor: bigint
  readonly brand: string
  readonly reason: string
}

export interface DisputeSide {
  readonly cases: readonly DisputeCase[]
  readonly notices: readonly DisputeNotice[]
}

/** The gateway's rows about disputes. */
export interface GatewayDisputes extends DisputeSide {
  /** The lines of files that it booked for cases; plus: the issuer took money. */
  readonly movements: readonly {
    readonly caseId: string
    readonly kind: string
    readonly taken: bigint
    readonly fee: bigint
  }[]
  /** By the key of the order: the amount that cannot be refunded. */
  readonly disputedOrders: ReadonlyMap<string, bigint>
  readonly answers: readonly {
    readonly id: string
    readonly disputeId: string
    readonly state: string
  }[]
}

/** All records about disputes. */
export interface DisputeRecords {
  readonly bank: DisputeSide
  readonly gateway: GatewayDisputes
  readonly files: readonly SettledFile[]
  /** The answers that a command reported as stored: the gateway's number of the case. */
  readonly given: readonly string[]
}

export interface DisputeComparison {
  /** A sentence each. */
  readonly differences: readonly string[]
  /** Lines of files about cases. */
  readonly lines: number
  /** The balances that the ends of cases add to the ledger, plus on debit. */
  readonly outcomes: ReadonlyMap<string, bigint>
}

const LINE_KINDS = ['chargeback', 'chargeback_again', 'dispute_reversal', 'dispute_fee']
/** The bank's fee for a chargeback in cents, which stays when the case is won. */
const FEE = 1_500n
const CHARGING = ['chargeback', 'rapid_resolution']
const FREEING = ['won', 'withdrawn', 'reported']

/**
 * Follows each case from the bank's notices to the gateway's rows, the lines of files and the
 * ledger. It has its own account of the money that each notice moves.
 */
export function compareDisputes(records: DisputeRecords): DisputeComparison {
  const { bank, files, gateway, given } = records
  const differences: string[] = []
  const say = (text: string): void => void differences.push(`dispute: ${text}`)
  const lines = linesByCase(files)
  compareTexts('notice', bank.notices.map(noticeText), gateway.notices.map(noticeText), say)
  compareTexts('case', bank.cases.map(caseText), gateway.cases.map(caseText), say)
  const inFiles = [...lines].flatMap(([id, each]) => each.map((line) => `${id} ${lineText(line)}`))
  const booked = gateway.movements.map((line) => `${line.caseId} ${lineText(line)}`)
  compareTexts('line', inFiles, booked, say)

  const outcomes = new Map<string, bigint>()
  const blocked = new Map<string, bigint>()
  for (const each of bank.cases) {
    const notices = bank.notices.filter(({ caseId }) => caseId === each.id)
    const found = lines.get(each.id) ?? []
    const expected = expectedLines(each, notices)
    compareTexts(`line of ${each.id} by its notices`, expected, found.map(lineText), say)
    const taken = found.reduce((sum, line) => sum + line.taken, 0n)
    addOutcome(outcomes, each.state, notices, taken)
    const isCharged = notices.some(({ event }) => CHARGING.includes(event))
    if (!isCharged || FREEING.includes(each.state)) continue
    blocked.set(each.order, (blocked.get(each.order) ?? 0n) + each.minor)
  }
  for (const id of lines.keys()) {
    if (!bank.cases.some((each) => each.id === id))
      say(`lines name the case ${id}, which nobody has`)
  }
  for (const order of new Set([...blocked.keys(), ...gateway.disputedOrders.keys()])) {
    const [there, here] = [blocked.get(order) ?? 0n, gateway.disputedOrders.get(order) ?? 0n]
    if (there !== here)
      say(`order ${order} in dispute by its cases, and here: ${there} and ${here}`)
  }
  compareAnswers(bank, gateway, given, say)
  return { differences, lines: inFiles.length, outcomes }
}

type Say = (text: string) => void

/** Each text is as often on one side as on the other. */
function compareTexts(
  what: string,
  one: readonly string[],
  other: readonly string[],
  say: Say,
): void {
  const counts = new Map<string, number>()
  for (const text of one) counts.set(text, (counts.get(text) ?? 0) + 1)
  for (const text of other) counts.set(text, (counts.get(text) ?? 0) - 1)
  for (const [text, count] of counts) {
    if (count !== 0) say(`${what} "${text}" is ${count > 0 ? 'missing' : 'too often'} here`)
  }
}

function noticeText({ account, answer, caseId, event, id, minor, n }: DisputeNotice): string {
  return `${account} ${n} ${id}: ${caseId} ${event} ${minor}, answer ${answer || 'none'}`
}

function caseText({ account, brand, id, minor, order, reason, state }: DisputeCase): string {
  return `${account} ${id}: ${state}, order ${order}, ${minor}, ${brand} ${reason}`
}

interface MoneyLine {
  readonly kind: string
  readonly taken: bigint
  readonly fee: bigint
}

function lineText({ fee, kind, taken }: MoneyLine): string {
  return `${kind} ${taken} ${fee}`
}

function linesByCase(files: readonly SettledFile[]): Map<string, MoneyLine[]> {
  const byCase = new Map<string, MoneyLine[]>()
  for (const { case: id, gross, kind, net } of files.flatMap(({ lines }) => lines)) {
    if (!LINE_KINDS.includes(kind)) continue
    const line = { kind, taken: -gross, fee: gross - net }
    byCase.set(id, [...(byCase.get(id) ?? []), line])
  }
  return byCase
}

/** The lines that the notices of a case announce: the money changes sides by them. */
function expectedLines(
  { brand, reason }: DisputeCase,
  notices: readonly DisputeNotice[],
): readonly string[] {
  const isCredited = brand === 'mastercard' || (brand === 'visa' && /^1[23]\./.test(reason))
  const lines: MoneyLine[] = []
  let [taken, stage] = [0n, '']
  const moveTo = (target: bigint): void => {
    if (target === taken) return
    const again = lines.length === 0 ? 'chargeback' : 'chargeback_again'
    const kind = target < taken ? 'dispute_reversal' : again
    lines.push({ kind, taken: target - taken, fee: 0n })
    if (kind === 'chargeback') lines.push({ kind: 'dispute_fee', taken: 0n, fee: FEE })
    taken = target
  }
  for (const { event, minor } of notices) {
    if (CHARGING.includes(event) || event === 'lost' || event === 'accepted') moveTo(minor)
    if (event === 'won' || event === 'withdrawn') moveTo(0n)
    if (event === 'representment') {
      if (stage === 'chargeback' && isCredited) moveTo(0n)
    } else stage = event
  }
  return lines.map(lineText)
}

/** A lost or accepted case is a loss, and a rapid resolution is a refund. */
function addOutcome(
  outcomes: Map<string, bigint>,
  state: string,
  notices: readonly DisputeNotice[],
  taken: bigint,
): void {
  if (state !== 'lost' && state !== 'accepted') return
  const isRapid = notices.some(({ event }) => event === 'rapid_resolution')
  const account = isRapid ? 'merchant_refunds' : 'chargeback_loss'
  outcomes.set(account, (outcomes.get(account) ?? 0n) + taken)
  outcomes.set('disputes_open', (outcomes.get('disputes_open') ?? 0n) - taken)
}

/** Each answer reached the bank once, or the bank refused it; none that was stored is gone. */
function compareAnswers(
  bank: DisputeSide,
  { answers }: GatewayDisputes,
  given: readonly string[],
  say: Say,
): void {
  const acknowledged = answers.filter(({ state }) => state === 'acknowledged')
  const named = bank.notices.flatMap(({ answer }) => (answer === '' ? [] : [answer]))
  compareTexts(
    'answer',
    named,
    acknowledged.map(({ id }) => id),
    say,
  )
  for (const { id, state } of answers) {
    if (state !== 'acknowledged' && state !== 'refused') say(`answer ${id} is still ${state}`)
  }
  for (const disputeId of new Set(given)) {
    const stored = given.filter((each) => each === disputeId).length
    const found = answers.filter((each) => each.disputeId === disputeId).length
    if (found < stored) {
      say(`dispute ${disputeId} has ${found} answers, and ${stored} were reported as stored`)
    }
  }
}
