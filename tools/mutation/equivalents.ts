import type { Mutant } from './mutants.ts'

/**
 * A mutant that no test can notice, because the program behaves as before. `line` is the whole line
 * without its indentation, `change` the change as the run prints it.
 */
type Row = readonly [path: string, line: string, change: string, why: string]

const SMALLER = 'Of two equal amounts either one is the smaller.'
const ABSOLUTE = 'Zero is its own negative.'
const NULL_COMPARES = 'Null compares as zero, which gives the same answer.'
const FEES = 'packages/gateway/src/domain/fees/fee-plan.ts'
const PAYMENTS = 'packages/gateway/src/domain/payments'

export const EQUIVALENTS: readonly Row[] = [
  [`${PAYMENTS}/order.ts`, 'return ofLines < ofOrder ? ofLines : ofOrder', '< → <=', SMALLER],
  [
    `${PAYMENTS}/order.ts`,
    'const amountMinor = request.amountMinor ?? available',
    'request.amountMinor ?? available → request.amountMinor',
    'A void without an amount takes all that is available.',
  ],
  [`${PAYMENTS}/line-shares.ts`, 'return ofLines < ofOrder ? ofLines : ofOrder', '< → <=', SMALLER],
  [`${PAYMENTS}/line-shares.ts`, 'return minor > 0n ? minor : 0n', '> → >=', 'Zero is zero.'],
  [`${PAYMENTS}/line-shares.ts`, 'const minor = room < left ? room : left', '< → <=', SMALLER],
  [`${PAYMENTS}/capture-voids.ts`, 'return left < right ? left : right', '< → <=', SMALLER],
  [
    `${PAYMENTS}/partial-approval.ts`,
    "if (!partialAllowed || approved <= 0n || approved > requested) return 'partial_refused'",
    '> → >=',
    'Equal amounts were answered in the line before.',
  ],
  [
    `${PAYMENTS}/partial-approval.ts`,
    "return minimum === null || approved >= minimum ? 'partial' : 'partial_refused'",
    'minimum === null || approved >= minimum → approved >= minimum',
    NULL_COMPARES,
  ],
  ...[
    'index >= 0 && shortfall > 0n → ((index >= 0) || (shortfall > 0n))',
    'index >= 0 && shortfall > 0n → index >= 0',
    'index >= 0 && shortfall > 0n → shortfall > 0n',
    '> → >=',
  ].map((change): Row => [
    `${PAYMENTS}/partial-approval.ts`,
    'for (let index = reduced.length - 1; index >= 0 && shortfall > 0n; index -= 1) {',
    change,
    'The lines cover the shortfall, and a shortfall of zero takes nothing.',
  ]),
  [
    `${PAYMENTS}/partial-approval.ts`,
    'const amount = reduced[index] ?? 0n',
    '0n → 1n',
    'The index is within the lines; the default is for the type.',
  ],
  [
    `${PAYMENTS}/partial-approval.ts`,
    'const taken = amount < shortfall ? amount : shortfall',
    '< → <=',
    SMALLER,
  ],
  [
    `${PAYMENTS}/advice-answers.ts`,
    'return Object.hasOwn(answers, responseCode) ? (answers[responseCode] ?? null) : null',
    'answers[responseCode] ?? null → answers[responseCode]',
    'The table has this code; the default is for the type.',
  ],
  [
    'packages/kernel/src/money.ts',
    "const text = (minor < 0n ? -minor : minor).toString().padStart(digits + 1, '0')",
    '< → <=',
    ABSOLUTE,
  ],
  [
    'packages/kernel/src/money.ts',
    "const text = (minor < 0n ? -minor : minor).toString().padStart(digits + 1, '0')",
    '0n → 1n',
    ABSOLUTE,
  ],
  [
    'packages/kernel/src/money.ts',
    "const significant = digits.length > MAX_MINOR_DIGITS ? digits.replace(/^0+/, '') : digits",
    '> → >=',
    'Leading zeros of an amount that fits do not change it.',
  ],
  [
    'packages/gateway/src/portal/order/domain/void-or-refund.ts',
    'const minor = available < missing ? available : missing',
    '< → <=',
    SMALLER,
  ],
  [
    'packages/gateway/src/portal/order/domain/refund-allowance.ts',
    'leftMinor: returnedMinor < limit.minor ? limit.minor - returnedMinor : 0n,',
    '< → <=',
    'A limit that is used up exactly leaves nothing.',
  ],
  [
    'packages/gateway/src/portal/order/domain/refund-allowance.ts',
    'const refundMinor = leftMinor < leftToRefundMinor ? leftMinor : leftToRefundMinor',
    '< → <=',
    SMALLER,
  ],
  ...['< → <=', '0n → 1n'].flatMap((change): Row[] => [
    [FEES, 'const size = value < 0n ? -value : value', change, ABSOLUTE],
    [FEES, 'return value < 0n ? -rounded : rounded', change, ABSOLUTE],
  ]),
  ...['16 → 17', '16 → 15'].flatMap((change): Row[] => [
    [
      'packages/gateway/src/usecases/payments/deliver-advices.ts',
      'const waitMs = Math.min(FIRST_WAIT_MS * 2 ** Math.min(advice.tries - 1, 16), ' +
        'LONGEST_WAIT_MS)',
      change,
      'The wait has been a minute since the eighth try.',
    ],
    [
      'packages/gateway/src/domain/books/batch-agreement.ts',
      'return Math.min(FIRST_WAIT_MS * 2 ** Math.min(tries - 1, 16), LONGEST_WAIT_MS)',
      change,
      'The wait has been a minute since the eighth try.',
    ],
  ]),
]

/** Why a mutant behaves as its source does; null where it should be noticed. */
export function equivalentReason(path: string, { lineText, change }: Mutant): string | null {
  const found = EQUIVALENTS.find(
    (row) => row[0] === path && row[1] === lineText && row[2] === change,
  )
  return found?.[3] ?? null
}
