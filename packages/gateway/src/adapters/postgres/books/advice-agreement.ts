import { agreeingCodes } from '../../../domain/payments/advice-answers.ts'

/**
 * SQL that is true of an acknowledged advice to which the bank agreed. It reads the columns kind
 * and response_code, and is made from the table of answers.
 */
export const BANK_AGREED = `(${(['reversal', 'capture', 'refund'] as const)
  .map(
    (kind) =>
      `kind = '${kind}' and response_code in (${agreeingCodes(kind)
        .map((code) => `'${code}'`)
        .join(', ')})`,
  )
  .join(' or ')})`
