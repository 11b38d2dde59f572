import { checkValue, type FormFault } from './parameter-checks.ts'
import { findParameter, rankOf } from './parameter-names.ts'
import type { Group, Operation, Parameter, ParameterName, ValueOf } from './parameters.ts'
import { maskFreeText, ownNumber } from './pasted-numbers.ts'

type LineName = Extract<ParameterName, `${string}_n`>

/** The parsed values of what was sent and is read, by name. */
type SentValues = {
  readonly [Name in Exclude<ParameterName, LineName>]?: ValueOf<Name> | undefined
}

/** The values sent for one line item. */
export interface SentLine {
  readonly product?: string
  readonly merchantProduct?: string
  readonly count?: number
  /** Decimal text. */
  readonly amount?: string
}

/**
 * A request as one operation reads it, each value parsed once. Ask `isSent` whether a parameter
 * came: one of a wrong form may have no value.
 */
export interface SentRequest extends SentValues {
  /** By number, in the order of arrival: every line that anything was sent for. */
  readonly lines: ReadonlyMap<number, SentLine>
  /** Values about the customer that are stored without a field of their own, by name, as sent. */
  readonly customerFields: Readonly<Record<string, string>>
  /** Values that are stored with the order and shown, by name, as sent. */
  readonly orderFields: Readonly<Record<string, string>>
}

export interface FaultyParameter {
  readonly name: FormFault
  readonly field: string
}

export interface RequestReading {
  readonly sent: SentRequest
  /** The parameters whose form is wrong, in the order of the table. */
  readonly faults: readonly FaultyParameter[]
}

export function isSent(sent: SentRequest, name: keyof SentValues): boolean {
  return name in sent
}

/**
 * Parses and checks the parameters that the operation reads. The rest is ignored: a capture is not
 * refused for a bad street. Card numbers that were pasted into free texts are cut down here, so no
 * reader meets one.
 */
export function readRequest(
  params: ReadonlyMap<string, string>,
  operation: Operation,
): RequestReading {
  const own = ownNumber(params)
  const lines = new Map<number, Writable<SentLine>>()
  const customerFields: Record<string, string> = {}
  const orderFields: Record<string, string> = {}
  const sent: Record<string, unknown> = { lines, customerFields, orderFields }
  const faults: FaultyParameter[] = []
  for (const [field, value] of params) {
    const known = findParameter(field)
    // A line name with an impossible number, such as LI_VALUE_100, is wrong with any value.
    if (known === null) {
      if (readsLines(operation)) faults.push({ name: 'value_invalid', field })
      continue
    }
    const { parameter, line } = known
    if (!parameter.operations.includes(operation)) continue
    const wrong = checkValue(parameter, value)
    if (wrong !== null) faults.push({ name: wrong, field })
    if (line !== null) {
      keepOfLine(lines, line, parameter, value)
      continue
    }
    const shown = maskFreeText(field, value, own)
    sent[field] = parameter.parse(shown)
    if (parameter.use !== 'stores') continue
    if (parameter.group === 'customer') {
      if (!NAMED.has(field)) customerFields[field] = shown
    } else if (!KEPT_ELSEWHERE.has(parameter.group)) orderFields[field] = shown
  }
  return { sent: sent as unknown as SentRequest, faults: inTableOrder(faults) }
}

/** Sorts in the order of the checks; of equal ranks, the earlier in the request stays first. */
export function inTableOrder(faults: readonly FaultyParameter[]): readonly FaultyParameter[] {
  if (faults.length < 2) return faults
  return faults.toSorted((one, other) => rankOf(one.field) - rankOf(other.field))
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] }

/** Customer parameters with a place of their own. */
const NAMED = new Set(['CUST_FNAME', 'CUST_LNAME', 'CUST_EMAIL', 'CUST_PHONE'])
const KEPT_ELSEWHERE: ReadonlySet<Group> = new Set(['address', 'product'])

/** A line is there as soon as anything was sent for it. */
function keepOfLine(
  lines: Map<number, Writable<SentLine>>,
  number: number,
  { name, parse }: Parameter,
  value: string,
): void {
  let line = lines.get(number)
  if (line === undefined) {
    line = {}
    lines.set(number, line)
  }
  const part = LINE_PARTS[name]
  if (part !== undefined) line[part] = parse(value) as never
}

const LINE_PARTS: Readonly<Record<string, keyof SentLine>> = {
  LI_PROD_ID_n: 'product',
  LI_XTL_PROD_ID_n: 'merchantProduct',
  LI_COUNT_n: 'count',
  LI_VALUE_n: 'amount',
} satisfies { readonly [Name in LineName]?: keyof SentLine }

function readsLines(operation: Operation): boolean {
  return findParameter('LI_VALUE_1')?.parameter.operations.includes(operation) ?? false
}
