import type { TestValueRow } from '@tollgate/portal-contract/answers/developer'
import { TEST_VALUE_KINDS, type TestValueKind } from '@tollgate/portal-contract/test-value-kinds'
import { shownMeaning, shownNumber } from '../../../domain/banks/test-bank.ts'
import type {
  PublishedTestValue,
  TestTrial,
  TestValuePayment,
} from '../../../domain/banks/test-value.ts'

type Parameters = Readonly<Record<string, string>>

/** The parameters of the payment interface for a payment. */
export type ParametersOf = (payment: TestValuePayment) => Parameters

/** A request that brings a test value about: which address, and what beside the login. */
export interface TestRequest {
  readonly prepares: boolean
  readonly parameters: Parameters
}

const CARD_KINDS: ReadonlySet<string> = new Set(['card', 'public_card', 'three_ds'])

/** Everything that the bundled bank does on purpose, as one list. */
export function testValueRows(values: readonly PublishedTestValue[]): readonly TestValueRow[] {
  return values.flatMap((value, at) => {
    const { kind, meaning, trials } = value
    if (!isKind(kind)) return []
    const row: TestValueRow = {
      key: `${kind} ${at}`,
      kind,
      value: CARD_KINDS.has(kind) ? shownNumber(value.value) : value.value,
      outcome: shownMeaning(meaning),
      code: codeOf(trials),
      hasRequest: kind === 'three_ds' || trials.some(({ payment }) => payment !== null),
    }
    return [row]
  })
}

/** The request of one row, with its card number whole; null for a row without one. */
export function testRequestOf(
  values: readonly PublishedTestValue[],
  key: string,
  parametersOf: ParametersOf,
): TestRequest | null {
  const value = values.find(({ kind }, at) => `${kind} ${at}` === key)
  if (value === undefined) return null
  // The request to send first; the payment needs a browser.
  if (value.kind === 'three_ds') {
    return { prepares: true, parameters: { PMT_BIN: value.value.slice(0, 6) } }
  }
  const payment = value.trials.find((trial) => trial.payment !== null)?.payment ?? null
  return payment === null ? null : { prepares: false, parameters: parametersOf(payment) }
}

function isKind(kind: string): kind is TestValueKind {
  return kind in TEST_VALUE_KINDS
}

/** The SERVICE code of the ordinary payment, and the codes of the others that differ. */
function codeOf(trials: readonly TestTrial[]): string {
  const codes = trials.flatMap(({ answer }) => (answer === null ? [] : [answer.service.code]))
  const different = [...new Set(codes)]
  return different.length > 3 ? '' : different.join(', ')
}
